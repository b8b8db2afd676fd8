import { paths } from '@/lib/paths'
import type { Feature } from '@/parts/lists'
import type { ServiceCardContent } from '@/parts/service-card'

export const home = {
  seo: {
    title: 'Medical Waste Disposal in New England',
    description:
      'Medical and pharmaceutical waste collection and compliance training in all six New England states. Fair pricing, no long-term contracts, free audit.',
  },
  hero: {
    badge: 'Serving all six New England states since 1995',
    title: 'Medical waste, handled from pickup to proof.',
    lead: 'Fair pricing, no long-term contracts, and a documented trail for every container that leaves your facility.',
    notes: ['EPA, DOT & OSHA compliant', 'Same-day response', 'Fair, flat pricing'],
    tracking: ['Sealed at your facility', 'DOT-compliant transport', 'Licensed treatment', 'Certificate of destruction'],
  },
  clients: {
    title: 'Trusted by facilities across New England',
    names: [
      'Blackstone Valley Family Health',
      'Harbor Point Surgical Center',
      'Merrimack River Dental Group',
      'Quaboag Veterinary Hospital',
      'Narragansett Bay Oncology',
      'Green Mountain Dialysis',
      'Casco Shore Pediatrics',
      'Pioneer Valley Research Labs',
      'Outer Cape Community Clinic',
      'Charter Oak Orthopedics',
      'Monadnock Senior Living',
      'Seacoast Urgent Care Partners',
      'Mystic Harbor Fertility',
    ],
  },
  services: {
    title: 'One provider for what you throw away and what you have to prove.',
    lead: 'From a two-chair dental office to a teaching hospital, we match containers, schedule and paperwork to your state’s rules.',
    cards: [
      {
        title: 'Medical Waste Collection',
        text: 'Red-bag, sharps and pathological waste, picked up on the schedule your facility actually needs.',
        points: ['Containers and liners supplied', 'Weekly to once-a-year pickups', 'Tracking record for every container'],
        icon: 'waste',
        pattern: 'hexagons',
        link: { label: 'Medical Waste Collection', to: paths.medicalWaste },
      },
      {
        title: 'Pharmaceutical Disposal',
        text: 'Hazardous and non-hazardous medications, segregated at the counter and documented under RCRA.',
        points: ['Formulary sorted by waste stream', 'No drain disposal, as Subpart P requires', 'Cradle-to-grave records'],
        icon: 'pill',
        pattern: 'capsules',
        link: { label: 'Pharmaceutical Disposal', to: paths.pharmaceutical },
      },
      {
        title: 'Compliance Training',
        text: 'OSHA, HIPAA, DOT, RCRA and bloodborne pathogens courses that your staff can finish online.',
        points: ['Certificates kept on file', 'Reminders before renewal', 'Records ready for an inspector'],
        icon: 'training',
        pattern: 'ripples',
        link: { label: 'Compliance Training', to: paths.complianceTraining },
      },
    ] satisfies ServiceCardContent[],
  },
  testimonial: {
    quote:
      'They walked our rooms, moved half of what we were red-bagging back to ordinary trash, and put us on a pickup every other week instead of every week. When the state inspector asked for two years of tracking forms, I had them on screen before she sat down.',
    name: 'Practice administrator',
    place: 'Multi-specialty outpatient group, central Massachusetts',
  },
  compliance: {
    title: 'Built around the rules your inspector reads.',
    lead: 'Federal packaging, worker-safety and environmental rules, and a different state code on each side of every border. We keep up with all of them, so that you can show one folder.',
    features: [
      { icon: 'shield', title: 'OSHA', text: 'Containers, labels, training and exposure-control support under the Bloodborne Pathogens Standard, 29 CFR 1910.1030.' },
      { icon: 'truck', title: 'DOT', text: 'Regulated medical waste, UN3291, packaged, marked and carried under 49 CFR 173.197 by trained hazmat employees.' },
      { icon: 'flask', title: 'EPA', text: 'Hazardous waste pharmaceuticals managed under 40 CFR Part 266, Subpart P, and RCRA generator rules in 40 CFR Part 262.' },
      { icon: 'government', title: 'Your state', text: 'Storage times, tracking forms and registrations as Maine, New Hampshire, Vermont, Massachusetts, Rhode Island or Connecticut require.' },
    ] satisfies Feature[],
  },
  advantages: {
    title: 'What changes when you switch.',
    lead: 'Most facilities that call us are not unhappy with a truck. They are unhappy with an invoice, a contract, or a phone tree.',
    features: [
      { icon: 'price', title: 'Fair pricing', text: 'A price per container or per stop, agreed in writing. No fuel, environmental or paper-invoice surcharges added afterwards.' },
      { icon: 'document', title: 'No long-term contracts', text: 'Service runs month to month. You stay because it works, not because a renewal clause says so.' },
      { icon: 'route', title: 'Cradle-to-grave tracking', text: 'Each container is followed from your storage area to treatment, and the record comes back to your portal.' },
      { icon: 'clock', title: 'Same-day response', text: 'Full containers do not wait for a route day. Call before noon and we work to have a truck there the same day.' },
      { icon: 'clipboard', title: 'Free waste audit', text: 'We walk your rooms, look at what goes into each container, and show you what does not need to.' },
      { icon: 'support', title: 'A person who answers', text: 'One contact who knows your building, your loading door and the last question you asked.' },
    ] satisfies Feature[],
  },
  certifications: {
    title: 'Qualified for every part of the chain',
    items: [
      { code: '49 CFR 172 Subpart H', text: 'Hazmat employee training for everyone who packages, loads or drives' },
      { code: '29 CFR 1910.1030', text: 'Annual bloodborne pathogens training and vaccination program for our own crews' },
      { code: '40 CFR Part 262', text: 'Hazardous waste manifests and generator records' },
      { code: '45 CFR Part 164', text: 'HIPAA safeguards for paper and media until they are destroyed' },
    ],
  },
  coverage: {
    title: 'Six states, one standard of service.',
    lead: 'Every route runs with the paperwork of the state it is in.',
  },
  cta: {
    title: 'Get a FREE Waste Audit',
    text: 'We look at your containers, your pickups and your last three invoices, and tell you in writing what we would change. No obligation.',
    primary: { label: 'Get a FREE Waste Audit', to: paths.quote },
    secondary: { label: 'Request a Quote', to: paths.quote },
  },
} as const
