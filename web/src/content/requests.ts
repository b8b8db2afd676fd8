/** Words of the pages that hold the forms. */
import { paths } from '@/lib/paths'

export const quote = {
  seo: {
    title: 'Request a Quote',
    description: 'Get a customized quote for medical and pharmaceutical waste, sharps, shredding and training in New England. Answer within 24 hours, no long contract.',
  },
  title: 'A written price within 24 hours.',
  lead: 'Tell us what you throw away, how much and how often. You get a price per stop or per container, and an offer of a free waste audit.',
  path: paths.quote,
  call: { title: 'Prefer to Call?', text: 'Five minutes on the phone is often enough for a price.' },
  why: {
    title: 'Why choose us',
    points: ['Fair pricing, agreed in writing', 'No long-term contracts', 'Cradle-to-grave tracking', 'EPA, DOT, state and OSHA compliant', 'Same-day response', 'Free waste audit'],
  },
  areas: { title: 'Service Areas', text: 'Every county of the six New England states, with local teams in:' },
}

export const quickStart = {
  seo: {
    title: 'Quick Start Medical Waste Service - $99/month',
    description: 'Monthly medical waste pickup at $99/month: containers provided, no setup fees, no long-term contracts, set up within 48 hours in five service areas.',
  },
  title: 'Quick Start Medical Waste Service',
  lead: 'No setup fees, no long-term contracts',
  price: 'The monthly service with everything listed here. “Starting at $75” on our city pages is for monthly pickups only.',
  badges: ['Monthly Pickups', 'Quick Setup', 'Fully Compliant'],
  form: { title: 'Start Service Today', text: "Fill in these few lines and we'll have you set up within 48 hours." },
  included: {
    title: "What's Included",
    points: ['Monthly pickup', 'All containers provided', 'Compliance documentation', 'Trained technicians'],
  },
  full: { title: 'Need Full Service?', text: 'More than one or two boxes a month, pharmaceuticals, or several sites: ask for a price of your own.' },
}

export const contact = {
  seo: {
    title: 'Contact Us',
    description: 'Schedule a pickup, ask a question or report an emergency. United Medical Waste answers within 24 hours in all six New England states.',
  },
  title: 'Talk to a person who knows your route.',
  lead: 'Schedule a pickup, change a schedule, or ask what belongs in which container. We answer within 24 hours, emergencies at once.',
  form: { title: 'Schedule a Pickup', text: 'Tell us what is full and how soon it has to go.' },
  emergency: { title: 'Spill or exposure?', text: 'Do not wait for a form. The emergency line is answered 24 hours a day, seven days a week.' },
  hours: { title: 'Support Hours' },
  states: { title: 'States we serve' },
}
