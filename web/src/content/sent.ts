/** What is said after a form was sent. */
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
  steps: [
    { when: 'Today', title: 'Somebody reads it', text: 'A person in Worcester matches what you told us with containers, a schedule and the rules of your state.' },
    { when: 'Within 24 hours', title: 'You get a customized quote', text: 'In writing, per stop or per container, with the free waste audit in it if you want one.' },
    { when: 'When you say yes', title: 'Containers arrive', text: 'We agree on a pickup day. There is no long-term contract to sign.' },
  ],
  again: 'Send another quote request',
}

export const quickStartSent: SentContent = {
  title: 'Your Quick Start request is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  from: { label: 'Quick Start', to: paths.quickStart },
  steps: [
    { when: 'Within 24 hours', title: 'We contact you', text: 'To agree on a pickup day and on where the containers go.' },
    { when: 'Within 48 hours of that', title: 'You are set up', text: 'Containers, labels and the paperwork are at your facility.' },
    { when: 'Every month', title: 'We pick up', text: 'The record of destruction is in your portal after each pickup.' },
  ],
  again: 'Send another Quick Start request',
}

export const contactSent: SentContent = {
  title: 'Your message is with us.',
  lead: 'A confirmation is on its way to your e-mail address.',
  from: { label: 'Contact', to: paths.contact },
  steps: [
    { when: 'Now', title: 'It is sorted by its priority', text: 'Emergencies are answered around the clock, urgent pickups on the same day.' },
    { when: 'Within 24 hours', title: 'We respond', text: 'By e-mail, or by phone if you gave us a number.' },
  ],
  again: 'Send another message',
}
