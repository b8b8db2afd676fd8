/** schema.org objects that several pages share. */
import { company } from '@/content/site'
import { locations, states } from '@/content/locations'
import type { Question } from '@/ui/accordion'
import { absolute } from '@/lib/seo'

const businessId = `${absolute('/')}#business`

/** The company. Opening hours here are those of the office desk; support hours on the pages are longer. */
export function localBusiness(extra: object = {}): object {
  return {
    '@type': 'LocalBusiness',
    '@id': businessId,
    name: company.name,
    url: absolute('/'),
    image: absolute('/og/default.png'),
    logo: absolute('/favicon.svg'),
    telephone: '+1-508-555-0142',
    email: company.email,
    priceRange: '$$',
    foundingDate: String(company.since),
    address: { '@type': 'PostalAddress', addressLocality: company.city, addressRegion: company.region, addressCountry: 'US' },
    areaServed: [
      ...states.map(({ name }) => ({ '@type': 'State', name })),
      ...locations.map(({ city, stateAbbr }) => ({ '@type': 'City', name: `${city}, ${stateAbbr}` })),
    ],
    openingHoursSpecification: {
      '@type': 'OpeningHoursSpecification',
      dayOfWeek: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
      opens: '08:00',
      closes: '17:00',
    },
    aggregateRating: { '@type': 'AggregateRating', ratingValue: company.rating, bestRating: 5, reviewCount: 127 },
    ...extra,
  }
}

export function service(name: string, description: string, path: string, area: readonly string[] = states.map((state) => state.name)): object {
  return {
    '@type': 'Service',
    name,
    description,
    serviceType: name,
    url: absolute(path),
    provider: { '@type': 'LocalBusiness', '@id': businessId, name: company.name },
    areaServed: area,
  }
}

export function faqPage(questions: readonly Question[]): object {
  return {
    '@type': 'FAQPage',
    mainEntity: questions.map(({ question, answer }) => ({ '@type': 'Question', name: question, acceptedAnswer: { '@type': 'Answer', text: answer } })),
  }
}

/** From Home to this page; the last entry is the page itself. */
export function breadcrumbs(trail: readonly { label: string; to: string }[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: [{ label: 'Home', to: '/' }, ...trail].map(({ label, to }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: label,
      item: absolute(to),
    })),
  }
}
