/** What is said after a form was sent. What happens next is said by the confirming mail too, so it lies with the forms. */
import contactNext from '@functions/submit-contact/contact.next.json'
import quickStartNext from '@functions/submit-quote/quick-start.next.json'
import quoteNext from '@functions/submit-quote/quote.next.json'
import { paths } from '@/lib/paths'

export interface SentContent {
  title: string
  lead: string
  from: { label: string; to: string }
  steps: readonly { when: string; title: string; text: string }[]
  again: string
}

export const quoteSent: SentContent = {
  title: 'Your quote request is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  from: { label: 'Quote', to: paths.quote },
  steps: quoteNext,
  again: 'Send another quote request',
}

export const quickStartSent: SentContent = {
  title: 'Your Quick Start request is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  from: { label: 'Quick Start', to: paths.quickStart },
  steps: quickStartNext,
  again: 'Send another Quick Start request',
}

export const contactSent: SentContent = {
  title: 'Your message is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  from: { label: 'Contact', to: paths.contact },
  steps: contactNext,
  again: 'Send another message',
}
