import { paths } from '@/lib/paths'
import { type CityContent, quickStartAnswer } from './types'

export const worcester: CityContent = {
  key: 'worcester',
  seo: {
    title: 'Medical Waste Disposal in Worcester, MA',
    description: 'Medical waste pickup in Worcester, Shrewsbury, Auburn and Millbury: weekly, bi-weekly or monthly, containers supplied, tracked from pickup to proof.',
  },
  where: 'in Worcester',
  lead: 'Our home city. Flexible weekly, bi-weekly or monthly pickups for practices, clinics and hospitals in Worcester, Shrewsbury, Auburn and Millbury.',
  cards: [
    {
      title: 'Medical waste pickup',
      text: 'Red-bag and sharps waste on a weekly, bi-weekly or monthly route, changed whenever your volume does.',
      points: ['Boxes, liners and labels supplied', 'DOT-compliant transport', 'Autoclave treatment'],
      icon: 'waste',
      pattern: 'hexagons',
      link: { label: 'Medical waste', to: paths.medicalWaste },
    },
    {
      title: 'Sharps & pharmaceuticals',
      text: 'Containers for needles and for medications, placed where they are used and exchanged when full.',
      points: ['Sharps and pharma containers supplied', 'Hazardous drugs kept separate', 'Nothing down the drain'],
      icon: 'pill',
      pattern: 'capsules',
      link: { label: 'Pharmaceutical waste', to: paths.pharmaceutical },
    },
    {
      title: 'Training & records',
      text: 'OSHA, HIPAA and DOT courses for staff, and digital tracking of every container.',
      points: ['Certificates by employee', 'Digital tracking', 'Ready for 105 CMR 480 inspections'],
      icon: 'training',
      pattern: 'ripples',
      link: { label: 'Compliance training', to: paths.complianceTraining },
    },
  ],
  why: {
    title: 'Why Worcester facilities choose us',
    features: [
      { icon: 'calendar', title: 'Flexible pickups', text: 'Weekly, bi-weekly or monthly, and an extra stop when a clinic day runs over. Changing the schedule costs nothing.' },
      { icon: 'container', title: 'Containers supplied', text: 'Sharps and pharmaceutical containers arrive with the first pickup and are restocked by the driver.' },
      { icon: 'truck', title: 'DOT transport', text: 'Packaged under 49 CFR 173.197 and carried by drivers whose hazmat training is current.' },
      { icon: 'route', title: 'Digital tracking', text: 'From your door to the autoclave, each container has a scan behind it and a record in your portal.' },
    ],
  },
  questions: [
    { question: 'Which towns around Worcester do you serve?', answer: 'Worcester, Shrewsbury, Auburn and Millbury are on our daily routes, and the rest of Worcester County is served on scheduled days.' },
    { question: 'Can we start with one box a month?', answer: quickStartAnswer },
    { question: 'How is the waste treated?', answer: 'Red-bag and sharps waste is steam-sterilized in an autoclave. Pathological and pharmaceutical waste is incinerated at permitted facilities.' },
    { question: 'Which rules apply in Massachusetts?', answer: 'Medical or biological waste falls under 105 CMR 480.000 of the Department of Public Health. Hazardous pharmaceuticals fall under MassDEP’s 310 CMR 30.000 and EPA’s Subpart P.' },
    { question: 'How quickly can you begin?', answer: 'Most practices have containers within two business days of saying yes. Emergency pickups are answered 24 hours a day.' },
  ],
  cta: { title: 'A neighbor with a truck', text: 'Our office is in Worcester. If a quote is easier in person, we can be in your hallway this week.' },
}
