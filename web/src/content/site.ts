/** The company itself: names, contact details, hours and the figures that every page quotes. */
import { paths } from '@/lib/paths'
import { locations } from './locations'

export const company = {
  name: 'United Medical Waste',
  phone: '(508) 555-0142',
  phoneHref: 'tel:+15085550142',
  emergencyPhone: '(508) 555-0199',
  emergencyHref: 'tel:+15085550199',
  email: 'service@unitedmedicalwaste.example',
  emailHref: 'mailto:service@unitedmedicalwaste.example',
  city: 'Worcester',
  region: 'MA',
  since: 1995,
  rating: 4.8,
} as const

export const footerHours = 'Mon-Fri 7:00 AM - 6:00 PM'

export const supportHours = [
  { days: 'Monday to Friday', hours: '7 AM-6 PM' },
  { days: 'Saturday', hours: '8 AM-12 PM' },
  { days: 'Sunday', hours: 'Emergency only' },
] as const

export const stats = [
  { value: '29+', label: 'years of service' },
  { value: '5000+', label: 'facilities served' },
  { value: '24/7', label: 'emergency response' },
  { value: '100%', label: 'compliance rate' },
] as const

export interface NavLink {
  label: string
  to: string
}

export const serviceLinks: readonly NavLink[] = [
  { label: 'Medical Waste', to: paths.medicalWaste },
  { label: 'Pharmaceutical Waste', to: paths.pharmaceutical },
  { label: 'Compliance Training', to: paths.complianceTraining },
]

export const navigation = {
  home: { label: 'Home', to: paths.home },
  services: { label: 'Services', to: paths.services },
  rest: [
    { label: 'Insights', to: paths.insights },
    { label: 'Customer Portal', to: paths.portal },
    { label: 'About', to: paths.about },
    { label: 'Contact', to: paths.contact },
  ],
} as const

export const policyLinks: readonly NavLink[] = [
  { label: 'Privacy', to: paths.privacy },
  { label: 'Terms', to: paths.terms },
  { label: 'Accessibility', to: paths.accessibility },
]

export const footerColumns: readonly { title: string; links: readonly NavLink[] }[] = [
  {
    title: 'Services',
    links: [{ label: 'All Services', to: paths.services }, ...serviceLinks, { label: 'Quick Start', to: paths.quickStart }],
  },
  {
    title: 'Service Areas',
    links: locations.map(({ key, displayName, stateAbbr }) => ({ label: `${displayName}, ${stateAbbr}`, to: paths.city(key) })),
  },
  {
    title: 'Company',
    links: [
      { label: 'About Us', to: paths.about },
      { label: 'Industries', to: paths.industries },
      { label: 'Insights', to: paths.insights },
      { label: 'Customer Portal', to: paths.portal },
      { label: 'Contact', to: paths.contact },
      { label: 'Get a Quote', to: paths.quote },
    ],
  },
]
