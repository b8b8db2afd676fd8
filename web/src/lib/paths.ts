/** Every address of the site, as data. Nothing else spells a path. */
const withQuery = (path: string, query: Record<string, string | undefined>) => {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

const cities = {
  worcester: '/worcester',
  boston: '/boston',
  providence: '/providence',
  capecod: '/cape-cod',
  hartford: '/hartford',
} as const

/** A service hub that has a page of its own. */
export type CityKey = keyof typeof cities

export const paths = {
  home: '/',
  services: '/services',
  medicalWaste: '/services/medical-waste',
  pharmaceutical: '/services/pharmaceutical',
  complianceTraining: '/services/compliance-training',
  industries: '/industries',
  about: '/about',
  quote: '/quote',
  quickStart: '/quick-start-quote',
  quickStartFor: (location: string) => withQuery('/quick-start-quote', { location }),
  contact: '/contact',
  /** Where a sent form leads. */
  sent: { quote: '/quote/sent', quickStart: '/quick-start-quote/sent', contact: '/contact/sent' },
  portal: '/customer-portal',
  city: (key: CityKey) => cities[key],
  insights: '/insights',
  article: (slug: string) => `/insights/${encodeURIComponent(slug)}`,
  auth: '/auth',
  authThen: (returnTo: string) => withQuery('/auth', { returnTo }),
  admin: {
    posts: '/admin/blog',
    newPost: '/admin/blog/new',
    post: (id: string) => `/admin/blog/${encodeURIComponent(id)}`,
    draft: (id: string) => `/admin/blog/${encodeURIComponent(id)}/draft`,
    leads: '/admin/leads',
    links: '/admin/links',
    pictures: '/admin/pictures',
  },
  privacy: '/privacy',
  terms: '/terms',
  /** Where the marks of invented data lead. */
  samples: '/terms#samples',
  accessibility: '/accessibility',
  preview: (token: string) => `/preview/${encodeURIComponent(token)}`,
  feed: '/feed.xml',
  offline: '/offline',
} as const
