import { paths } from '@/lib/paths'
import { type CityContent, quickStartAnswer } from './types'

export const capeCod: CityContent = {
  key: 'capecod',
  seo: {
    title: 'Medical Waste Disposal on Cape Cod, MA',
    description: 'Medical waste pickup on Cape Cod and the Islands: Barnstable, Hyannis, Falmouth, Dennis, Martha’s Vineyard and Nantucket, with seasonal schedules.',
  },
  where: 'on Cape Cod',
  lead: 'Year-round and seasonal facilities from Falmouth to Provincetown, with scheduled service to Martha’s Vineyard and Nantucket.',
  cards: [
    {
      title: 'Seasonal facilities',
      text: 'Weekly in July, quarterly in January. Your schedule follows the visitors, and so does your bill.',
      points: ['Summer and winter schedules', 'Pause and resume by phone', 'No off-season minimum'],
      icon: 'calendar',
      pattern: 'waves',
      link: { label: 'Medical waste', to: paths.medicalWaste },
    },
    {
      title: 'Island service',
      text: 'Scheduled ferry runs to Martha’s Vineyard and Nantucket with DOT-compliant packaging for the crossing.',
      points: ['Vineyard and Nantucket routes', 'Containers sized for small storage', 'Paperwork for the boat'],
      icon: 'route',
      pattern: 'points',
      link: { label: 'Ask about island service', to: paths.contact },
    },
    {
      title: 'Sharps & medications',
      text: 'Containers and disposal for practices, pharmacies, camps and home-care teams.',
      points: ['Sharps containers supplied', 'Medication disposal without flushing', 'Public sharps kiosks for towns'],
      icon: 'pill',
      pattern: 'capsules',
      link: { label: 'Pharmaceutical waste', to: paths.pharmaceutical },
    },
  ],
  why: {
    title: 'Why Cape Cod facilities choose us',
    features: [
      { icon: 'calendar', title: 'Made for seasons', text: 'We plan the year with you in April and change it when the weather changes it first.' },
      { icon: 'waves', title: 'Islands included', text: 'Martha’s Vineyard and Nantucket are routes of ours, not a surcharge with a boat picture.' },
      { icon: 'leaf', title: 'A coast worth keeping', text: 'One aquifer, many wells and a lot of shoreline. Keeping drugs out of septic systems matters more here than anywhere.' },
      { icon: 'pin', title: 'Bridge-proof planning', text: 'Summer Saturdays are for visitors. Our trucks cross early, midweek, and with a plan for closures.' },
    ],
  },
  questions: [
    { question: 'Do you serve Martha’s Vineyard and Nantucket?', answer: 'Yes, on scheduled ferry days. Containers are packaged for the crossing under the same DOT rules as on the road.' },
    { question: 'Can we stop service in winter?', answer: 'Yes. Seasonal facilities can pause or move to a quarterly stop. There is no minimum and no fee to resume.' },
    { question: 'Why should medications not be flushed here?', answer: 'Much of the Cape relies on septic systems above a sole-source aquifer. Federal rules forbid healthcare facilities to put hazardous waste pharmaceuticals down the drain, and we advise against flushing any medication.' },
    { question: 'Is there a service for very small offices?', answer: quickStartAnswer },
    { question: 'Do you work with towns and camps?', answer: 'Yes. Boards of health, fire departments, camps and schools use us for sharps kiosks, clinics and season-end cleanouts.' },
  ],
  cta: { title: 'Ready before the season', text: 'Tell us when you open and we will have containers on the shelf the week before.' },
}
