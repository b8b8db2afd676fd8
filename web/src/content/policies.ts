/** What visitors are told of their data, of the terms of use, and of access for everyone. */
import { company } from './site'

export interface PolicyContent {
  seo: { title: string; description: string }
  title: string
  lead: string
  /** The day the words were last changed. */
  reviewed: string
  sections: readonly { title: string; paragraphs?: readonly string[]; items?: readonly string[] }[]
}

export const privacy: PolicyContent = {
  seo: { title: 'Privacy', description: 'What United Medical Waste keeps of what you send through this website, why, for how long, and how to have it erased.' },
  title: 'Privacy',
  lead: 'What we keep when you write to us through this website, why, and how to have it removed.',
  reviewed: 'November 22, 2026',
  sections: [
    {
      title: 'What you send us',
      paragraphs: ['We receive only what you type into a form and send:'],
      items: [
        'Quote and Quick Start requests: facility, contact person, e-mail, phone, address and the services you ask about.',
        'Contact messages: your name, e-mail, message and, if you give them, phone and company.',
        'Newsletter: your first name, last name and e-mail address.',
      ],
    },
    {
      title: 'Please send no patient information',
      paragraphs: [
        'Nothing that identifies a patient belongs into these forms. If it happened, call us and we will erase the message.',
      ],
    },
    {
      title: 'What we use it for',
      paragraphs: [
        'To answer you, to prepare your quote and service, and to send the newsletter you asked for. We do not sell or rent it to anyone.',
        'Messages are stored on our own servers. Only our staff can read them.',
      ],
    },
    {
      title: 'What stays on your device',
      items: [
        'A form you have begun stays in this browser tab, so that a reload costs you nothing. It goes when you close the tab or send the form.',
        'A page to read without a connection is kept by your browser.',
        'Measuring visits with a tag manager happens only where it is switched on, and only after you allow it.',
      ],
    },
    {
      title: 'How long, and how to have it erased',
      paragraphs: [
        `Write to ${company.email} or call ${company.phone} to see, correct or erase what we keep of you. We confirm each erasure in writing. Each newsletter has a link that ends it.`,
      ],
    },
  ],
}

export const terms: PolicyContent = {
  seo: { title: 'Terms of Use', description: 'The terms for using the website of United Medical Waste: quotes, articles, the customer portal and what an answer here does not replace.' },
  title: 'Terms of Use',
  lead: 'A few lines on what this website is, and what it is not.',
  reviewed: 'November 22, 2026',
  sections: [
    {
      title: 'Information, not legal advice',
      paragraphs: [
        'Our articles explain rules as we understand them on the day they were written. They do not replace the text of a rule, your state agency or your counsel.',
      ],
    },
    {
      title: 'Quotes and requests',
      paragraphs: [
        'Sending a form is a question, not a contract. A service begins when we have agreed on it in writing. Prices on this website are starting prices for the service they name.',
      ],
    },
    {
      title: 'Emergencies',
      paragraphs: [`For a spill or an exposure call ${company.emergencyPhone} at any hour; a form may wait for somebody to read it. In danger to life call 911 first.`],
    },
    {
      title: 'Customer portal',
      paragraphs: [
        'The portal for training and documents is run by another provider and opens in a tab of its own. Its terms hold there. Keep your credentials to yourself.',
      ],
    },
    {
      title: 'Words, pictures and names',
      paragraphs: [
        'Text and drawings on this website are ours. You may quote them with a link.',
      ],
    },
    {
      title: 'Samples',
      paragraphs: [
        'What is marked “Sample data” shows what a thing looks like and is invented: client names, the testimonial, towns by route day, container labels, and the numbers on the papers we draw, permit and USDOT numbers among them. None of it names a real facility, person or permit.',
      ],
    },
  ],
}

export const accessibility: PolicyContent = {
  seo: { title: 'Accessibility', description: 'How the website of United Medical Waste is made to be used by everyone, what is tested against WCAG 2.2 AA, and whom to tell when it fails.' },
  title: 'Accessibility',
  lead: 'Everybody should be able to read this website and to reach us through it.',
  reviewed: 'November 22, 2026',
  sections: [
    {
      title: 'What we aim for',
      paragraphs: ['The Web Content Accessibility Guidelines 2.2 at level AA, on every page, at every width, with and without a script.'],
    },
    {
      title: 'What that means here',
      items: [
        'Every page works with a keyboard alone, and shows where you are.',
        'Text and controls keep their contrast, and nothing is said by color alone.',
        'Fields have names, hints and messages that a screen reader tells.',
        'Motion stops where your system asks for less of it.',
        'Pages can be read at 320 pixels and at 400 percent without scrolling sideways.',
      ],
    },
    {
      title: 'How it is tested',
      paragraphs: ['Each change of this website is checked by axe in a real browser and by tests that use the keyboard. What a program cannot see, people look at.'],
    },
    {
      title: 'Where it fails you',
      paragraphs: [`Tell us at ${company.email} or ${company.phone}. Say which page it was and what you use to read it. We answer within two working days, and do by phone what the page did not let you do.`],
    },
  ],
}
