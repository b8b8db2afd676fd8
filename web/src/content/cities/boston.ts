import { paths } from '@/lib/paths'
import { type CityContent, quickStartAnswer } from './types'

export const boston: CityContent = {
  key: 'boston',
  seo: {
    title: 'Medical Waste Disposal in Boston, MA',
    description: 'Medical and biohazard waste service for Boston hospitals, biotech companies and labs, with Cambridge, Somerville and Brookline. Same-day pickup.',
  },
  where: 'in Boston',
  lead: 'For hospitals, biotech and research laboratories in Boston, Cambridge, Somerville and Brookline, with same-day and next-day emergency pickup.',
  cards: [
    {
      title: 'Hospital programs',
      text: 'Reusable tub exchange, pathological and trace chemotherapy streams, and dock times that respect your loading schedule.',
      points: ['Early-morning dock windows', 'Department-level weights', 'Permitted treatment only'],
      icon: 'hospital',
      pattern: 'hexagons',
      link: { label: 'Medical waste', to: paths.medicalWaste },
    },
    {
      title: 'Biotech & lab waste',
      text: 'Biohazard waste from BSL-1 and BSL-2 rooms, cultures, stocks, sharps and animal tissue.',
      points: ['Tubs and carboys by floor', 'Separate chemical streams', 'Records for your safety officer'],
      icon: 'microscope',
      pattern: 'points',
      link: { label: 'Research & laboratories', to: paths.industries },
    },
    {
      title: 'Research training',
      text: 'Bloodborne pathogens, DOT and RCRA courses written for laboratory staff and their managers.',
      points: ['Lab-specific examples', 'On site or online', 'Certificates by person'],
      icon: 'training',
      pattern: 'ripples',
      link: { label: 'Compliance training', to: paths.complianceTraining },
    },
  ],
  why: {
    title: 'Why Boston facilities choose us',
    features: [
      { icon: 'quick', title: 'Same-day and next-day', text: 'Emergency pickups inside the city the same day or the next, with a driver who knows the freight entrance.' },
      { icon: 'hospital', title: 'Hospital experience', text: 'Multi-building campuses, shared docks and units that never close are ordinary days for our crews.' },
      { icon: 'microscope', title: 'Lab fluency', text: 'We speak tubs, carboys and cold rooms, and keep biological and chemical streams where they belong.' },
      { icon: 'training', title: 'Research training', text: 'Onboarding courses for new scientists and visiting staff, so that nobody starts at the bench without them.' },
    ],
  },
  questions: [
    { question: 'How fast is an emergency pickup in Boston?', answer: 'Same day when you call in the morning, next day otherwise. Spills and exposures are answered 24 hours a day.' },
    { question: 'Do you serve biotech incubators and shared labs?', answer: 'Yes. Tenants can have their own containers and records, or the building can hold one program with a report per suite.' },
    { question: 'Can you collect before the clinic opens?', answer: 'Yes. Routes in Boston start early. We agree on a window, the entrance and who signs.' },
    { question: 'What about small offices?', answer: quickStartAnswer },
    { question: 'Do you train laboratory staff?', answer: 'Yes: bloodborne pathogens, DOT shipping for those who sign, and RCRA for hazardous waste areas, online or in your seminar room.' },
  ],
  cta: { title: 'One vendor from bench to bedside', text: 'Tell us your buildings and streams. The quote comes with a container plan by floor.' },
}
