import { paths } from '@/lib/paths'
import { type CityContent, quickStartAnswer } from './types'

export const providence: CityContent = {
  key: 'providence',
  seo: {
    title: 'Medical Waste Disposal in Providence, RI',
    description: 'Regulated medical waste service for Rhode Island healthcare networks, universities and practices in Providence, Cranston, Warwick and Pawtucket.',
  },
  where: 'in Providence',
  lead: 'For Rhode Island’s healthcare networks, universities and independent practices in Providence, Cranston, Warwick and Pawtucket.',
  cards: [
    {
      title: 'Healthcare networks',
      text: 'One program across hospitals, clinics and physician offices, with a report for each site.',
      points: ['Consolidated invoicing', 'Site-by-site records', 'RIDEM tracking requirements met'],
      icon: 'building',
      pattern: 'hexagons',
      link: { label: 'Medical waste', to: paths.medicalWaste },
    },
    {
      title: 'Universities & research',
      text: 'Teaching clinics, student health and research floors on one academic calendar.',
      points: ['Semester and summer schedules', 'Lab biohazard streams', 'Training for students and staff'],
      icon: 'microscope',
      pattern: 'ripples',
      link: { label: 'Universities & research', to: paths.industries },
    },
    {
      title: 'Community practices',
      text: 'Medical, dental and veterinary offices with one or two boxes at a time.',
      points: ['Monthly or quarterly stops', 'Sharps containers supplied', 'No long-term contract'],
      icon: 'stethoscope',
      pattern: 'ledger',
      link: { label: 'Quick Start service', to: paths.quickStartFor('providence') },
    },
  ],
  why: {
    title: 'Why Providence facilities choose us',
    features: [
      { icon: 'building', title: 'Networks, one report', text: 'Every site’s pickups, weights and certificates in a single view, with invoices that match.' },
      { icon: 'training', title: 'University calendars', text: 'Schedules that follow semesters, lab moves and commencement week.' },
      { icon: 'government', title: 'Rhode Island rules', text: 'RIDEM’s regulated medical waste rules are strict about tracking. Our paperwork is built on them.' },
      { icon: 'pin', title: 'Close by', text: 'The whole state is within an hour of our route, so an extra pickup is a phone call, not a project.' },
    ],
  },
  questions: [
    { question: 'Which Rhode Island towns do you serve?', answer: 'All of them. Providence, Cranston, Warwick and Pawtucket are on several routes a week, and Newport, Westerly and Block Island are scheduled.' },
    { question: 'Who regulates medical waste in Rhode Island?', answer: 'The Department of Environmental Management regulates generation, transport and treatment, together with the Department of Health. We keep the tracking forms that their rules require.' },
    { question: 'Can a university have one account?', answer: 'Yes. Student health, research and athletics can share an account with separate locations, contacts and budgets.' },
    { question: 'Do you offer a small monthly service?', answer: quickStartAnswer },
    { question: 'What happens in an emergency?', answer: 'Call the emergency line at any hour. A crew with spill equipment and containers is sent, and you get an incident record afterwards.' },
  ],
  cta: { title: 'The Ocean State, covered', text: 'Whether you run a network or a single chair, you have a written price within 24 hours.' },
}
