/** What is said after a form was sent. What happens next is said by the confirming mail too, so it lies with the forms. */
import contactNext from '@functions/submit-contact/contact.next.json'
import quickStartNext from '@functions/submit-quote/quick-start.next.json'
import quoteNext from '@functions/submit-quote/quote.next.json'
import { paths } from '@/lib/paths'

export interface SentContent {
  title: string
  lead: string
  /** The heading for who comes without having sent anything. */
  unsent: string
  from: { label: string; to: string }
  steps: readonly { when: string; title: string; text: string }[]
  again: string
}

/** Said in both cases of a page that may be opened by its address: it denies nothing to who did send something. */
export const UNSENT_LEAD = 'Once it is sent, its number stands here and a confirmation is in your mailbox. If you find neither, send it below or call us.'

export const quoteSent: SentContent = {
  title: 'Your quote request is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  unsent: 'Your quote request',
  from: { label: 'Quote', to: paths.quote },
  steps: quoteNext,
  again: 'Send another quote request',
}

export const quickStartSent: SentContent = {
  title: 'Your Quick Start request is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  unsent: 'Your Quick Start request',
  from: { label: 'Quick Start', to: paths.quickStart },
  steps: quickStartNext,
  again: 'Send another Quick Start request',
}

export const contactSent: SentContent = {
  title: 'Your message is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  unsent: 'Your message',
  from: { label: 'Contact', to: paths.contact },
  steps: contactNext,
  again: 'Send another message',
}
