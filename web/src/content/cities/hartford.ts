import { paths } from '@/lib/paths'
import { type CityContent, quickStartAnswer } from './types'

export const hartford: CityContent = {
  key: 'hartford',
  seo: {
    title: 'Medical Waste Disposal in Hartford, CT',
    description: 'Biomedical waste service for Connecticut healthcare networks, insurers and corporate health in Hartford, West Hartford, East Hartford and New Britain.',
  },
  where: 'in Hartford',
  lead: 'For Connecticut’s healthcare networks, insurers and corporate health centers in Hartford, West Hartford, East Hartford and New Britain.',
  cards: [
    {
      title: 'Healthcare networks',
      text: 'Biomedical waste programs across hospitals, surgery centers and physician groups.',
      points: ['Multi-site schedules', 'Connecticut tracking forms', 'Consolidated reporting'],
      icon: 'hospital',
      pattern: 'hexagons',
      link: { label: 'Medical waste', to: paths.medicalWaste },
    },
    {
      title: 'Insurers & corporate health',
      text: 'On-site clinics, vaccination days and wellness centers in office towers.',
      points: ['Pickups by service elevator', 'One-day event containers', 'Certificates of insurance on file'],
      icon: 'building',
      pattern: 'ledger',
      link: { label: 'Industries we serve', to: paths.industries },
    },
    {
      title: 'Training & consulting',
      text: 'Courses and plan reviews for teams that answer to both state and federal rules.',
      points: ['OSHA, HIPAA, DOT, RCRA', 'Management plan review', 'Mock inspections'],
      icon: 'training',
      pattern: 'ripples',
      link: { label: 'Compliance training', to: paths.complianceTraining },
    },
  ],
  why: {
    title: 'Why Hartford facilities choose us',
    features: [
      { icon: 'government', title: 'Connecticut rules', text: 'Biomedical waste under RCSA § 22a-209-15 has its own packaging, tracking and plan requirements. We work from them.' },
      { icon: 'building', title: 'Corporate ready', text: 'Vendor registration, building insurance and badge rules are handled before the first pickup.' },
      { icon: 'people', title: 'Networks welcome', text: 'Add a site by e-mail. Containers arrive with the next route and the invoice stays a single page.' },
      { icon: 'shield', title: 'Audit support', text: 'When DEEP, OSHA or an accreditor calls, we help you gather the file and sit in if you like.' },
    ],
  },
  questions: [
    { question: 'What is biomedical waste in Connecticut?', answer: 'Connecticut’s term for infectious, pathological and trace chemotherapy waste. Its handling is set out in the Regulations of Connecticut State Agencies, § 22a-209-15, under DEEP.' },
    { question: 'Do you serve office towers?', answer: 'Yes. On-site clinics and wellness centers are served through the service entrance at agreed times, with insurance certificates sent to the building.' },
    { question: 'Can you handle one-day vaccination events?', answer: 'Yes. We deliver sharps containers before, collect them after, and send the record to your occupational health team.' },
    { question: 'Is there a small monthly service?', answer: quickStartAnswer },
    { question: 'Do you help with the written management plan?', answer: 'Yes. We review the plan you have, or draft one from the audit, and train the people it names.' },
  ],
  cta: { title: 'Insured against surprises', text: 'A written price, a month-to-month agreement, and the file your auditor will ask for.' },
}
