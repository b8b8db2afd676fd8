/**
 * The route table: which page answers which address, and how it reaches a visitor.
 * `static` pages are rendered at build time; `dynamic` ones start from the empty shell.
 */
import { matchPath } from 'react-router-dom'
import { locations } from '@/content/locations'
import { type LazyPage, lazyPage } from './lazy-page'
import { paths } from '@/lib/paths'

export interface SiteRoute {
  /** React Router pattern. */
  path: string
  Page: LazyPage
  /** Rendered to HTML at build time. */
  prerender: boolean
  /** Who may see it: everyone, everyone with the session at hand, or administrators. */
  area: 'public' | 'session' | 'admin'
}

const page = (path: string, Page: LazyPage): SiteRoute => ({ path, Page, prerender: true, area: 'public' })
const dynamic = (path: string, Page: LazyPage, area: SiteRoute['area'] = 'public'): SiteRoute => ({
  path,
  Page,
  prerender: false,
  area,
})

const editorPage = lazyPage('admin/editor-page')

export const routes: SiteRoute[] = [
  page(paths.home, lazyPage('site/home-page')),
  page(paths.services, lazyPage('site/services-page')),
  page(paths.medicalWaste, lazyPage('site/medical-waste-page')),
  page(paths.pharmaceutical, lazyPage('site/pharmaceutical-page')),
  page(paths.complianceTraining, lazyPage('site/compliance-training-page')),
  page(paths.industries, lazyPage('site/industries-page')),
  page(paths.about, lazyPage('site/about-page')),
  page(paths.quote, lazyPage('forms/quote-page')),
  page(paths.quickStart, lazyPage('forms/quick-start-page')),
  page(paths.contact, lazyPage('forms/contact-page')),
  page(paths.sent.quote, lazyPage('forms/quote-sent-page')),
  page(paths.sent.quickStart, lazyPage('forms/quick-start-sent-page')),
  page(paths.sent.contact, lazyPage('forms/contact-sent-page')),
  page(paths.portal, lazyPage('site/portal-page')),
  page(paths.city('worcester'), lazyPage('site/worcester-page')),
  page(paths.city('boston'), lazyPage('site/boston-page')),
  page(paths.city('providence'), lazyPage('site/providence-page')),
  page(paths.city('capecod'), lazyPage('site/cape-cod-page')),
  page(paths.city('hartford'), lazyPage('site/hartford-page')),
  page(paths.insights, lazyPage('insights/list-page')),
  dynamic(paths.article(':slug').replace('%3A', ':'), lazyPage('insights/article-page')),
  { ...page(paths.auth, lazyPage('auth/login-page')), area: 'session' },
  dynamic(paths.admin.posts, lazyPage('admin/posts-page'), 'admin'),
  dynamic(paths.admin.newPost, editorPage, 'admin'),
  dynamic(paths.admin.post(':id').replace('%3A', ':'), editorPage, 'admin'),
  dynamic(paths.admin.draft(':id').replace('%3A', ':'), lazyPage('admin/draft-page'), 'admin'),
  dynamic(paths.admin.links, lazyPage('admin/links-page'), 'admin'),
  dynamic(paths.admin.pictures, lazyPage('admin/pictures-page'), 'admin'),
  dynamic(paths.preview(':token').replace('%3A', ':'), lazyPage('insights/preview-page')),
  dynamic(paths.admin.leads, lazyPage('admin/leads-page'), 'admin'),
  page(paths.privacy, lazyPage('site/privacy-page')),
  page(paths.terms, lazyPage('site/terms-page')),
  page(paths.accessibility, lazyPage('site/accessibility-page')),
  page(paths.offline, lazyPage('site/offline-page')),
]

/** Shown for every address without a route. */
export const notFoundPage = lazyPage('site/not-found-page')

/** Old and alternative addresses; the query string travels along. */
export const redirects: Record<string, string> = {
  '/resources': paths.insights,
  '/blog': paths.insights,
  '/blog/:slug': '/insights/:slug',
  '/quick-quote': paths.quickStart,
  '/services/pharmaceutical-waste': paths.pharmaceutical,
  ...Object.fromEntries(locations.map(({ key }) => [`/local${paths.city(key)}`, paths.city(key)])),
}

// Most addresses are one of the table as they stand; only others are worth a pattern for each row.
const fixed = new Map(routes.map((route) => [route.path, route]))
export const routeFor = (pathname: string) => fixed.get(pathname) ?? routes.find(({ path }) => matchPath({ path, caseSensitive: true }, pathname))

/** The page behind a path, the not-found page included; used to load its code early. */
export function pageFor(pathname: string): LazyPage {
  return routeFor(pathname)?.Page ?? notFoundPage
}

/** Whether the page behind a path wants to know who is signed in. */
export const needsSession = (pathname: string) => (routeFor(pathname)?.area ?? 'public') !== 'public'
