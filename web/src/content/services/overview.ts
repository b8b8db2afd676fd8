import { paths } from '@/lib/paths'
import type { ServiceCardContent } from '@/parts/service-card'

export const overview = {
  seo: {
    title: 'Medical Waste Services',
    description: 'Medical waste, pharmaceuticals, compliance training, emergency cleanup, shredding, sharps and waste audits in all six New England states.',
  },
  title: 'Every regulated stream in your building, one phone number.',
  lead: 'Start with a monthly box pickup or hand over the whole program: containers, schedules, training, records and the odd emergency.',
  core: {
    title: 'Core services',
    lead: 'The four things facilities call us for first. Each can be taken on its own.',
    cards: [
      {
        title: 'Medical Waste',
        text: 'Collection, transport and treatment of red-bag, sharps and pathological waste.',
        points: ['Reusable or single-use containers', 'Pickup from weekly to once a year', 'Treatment by autoclave or incineration'],
        icon: 'waste',
        pattern: 'hexagons',
        link: { label: 'About medical waste', to: paths.medicalWaste },
      },
      {
        title: 'Compliance Training',
        text: 'Online and on-site courses in OSHA, HIPAA, DOT, RCRA and bloodborne pathogens.',
        points: ['Certificates by employee', 'Renewal reminders', 'Written plans reviewed'],
        icon: 'training',
        pattern: 'ripples',
        link: { label: 'About training', to: paths.complianceTraining },
      },
      {
        title: 'Pharmaceutical Waste',
        text: 'Expired, partial and contaminated medications, hazardous or not.',
        points: ['Sorting by waste stream', 'Subpart P container labels', 'Manifests and destruction records'],
        icon: 'pill',
        pattern: 'capsules',
        link: { label: 'About pharmaceutical waste', to: paths.pharmaceutical },
      },
      {
        title: 'Emergency Cleanup',
        text: 'Spills, exposures and overflowing storage, answered 24 hours a day, every day.',
        points: ['Trained crews with protective equipment', 'Decontamination and disposal', 'Incident record for your files'],
        icon: 'siren',
        pattern: 'waves',
        link: { label: 'Request emergency help', to: paths.contact },
      },
    ] satisfies ServiceCardContent[],
  },
  additional: {
    title: 'Additional services',
    lead: 'Small jobs that tend to be forgotten until an inspection.',
    cards: [
      {
        title: 'Document Shredding',
        text: 'Patient records, labels and films destroyed so that they cannot be read or reconstructed.',
        points: ['Locked consoles for offices', 'HIPAA safeguards, 45 CFR 164.530(c)', 'Certificate for every load'],
        icon: 'document',
        pattern: 'strips',
        link: { label: 'Ask for shredding', to: paths.quote },
      },
      {
        title: 'Sharps Management',
        text: 'The right container in the right room, changed before the fill line and never after.',
        points: ['Closable, puncture-resistant, leakproof', 'Wall brackets and carts', 'Exchange schedule by room'],
        icon: 'sharps',
        pattern: 'points',
        link: { label: 'Ask for sharps service', to: paths.quote },
      },
      {
        title: 'Waste Auditing',
        text: 'A walk through your rooms that ends in a short list: what to move, what to label, what to stop paying for.',
        points: ['Free for any facility we could serve', 'Segregation by room', 'Findings in writing'],
        icon: 'clipboard',
        pattern: 'ledger',
        link: { label: 'Book a waste audit', to: paths.quote },
      },
    ] satisfies ServiceCardContent[],
  },
  coverage: {
    title: 'Coverage in all six states',
    lead: 'Scheduled routes reach every county in New England, islands included. Each stop carries the paperwork of its own state.',
  },
}
