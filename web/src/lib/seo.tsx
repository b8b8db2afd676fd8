/**
 * One page's head: title, description, canonical address, social card and structured data.
 * Tags carry a `data-seo` key, so the same tag written by the prerenderer, by the server (articles) or
 * by the browser is always one and the same element. Nothing is ever there twice.
 */
import { createContext, use, useEffect } from 'react'
import { siteUrl } from './env'

export const SITE_URL = siteUrl()
export const SITE_NAME = 'United Medical Waste'

export interface SeoProps {
  /** Without the company name, which is appended unless the title already has it. */
  title: string
  /** The title is complete without the company name. */
  plainTitle?: boolean
  description: string
  /** Path of the canonical address, such as `/quote`; none for pages that stay out of indexes. */
  path?: string
  noindex?: boolean
  type?: 'website' | 'article'
  /** Absolute address or site path of the social card. */
  image?: string
  /** Path of the Atom feed that the page is a reading of. */
  feed?: string
  /** schema.org objects. */
  jsonLd?: object[]
}

export interface SeoTag {
  /** Identity within the head, such as `name:description`. */
  key: string
  tag: 'title' | 'meta' | 'link' | 'script'
  attributes: Record<string, string>
  text?: string
}

const DEFAULT_IMAGE = '/og/default.png'

/** The absolute form of a site path. */
export const absolute = (path: string) => (/^https?:/.test(path) ? path : SITE_URL + path)

const meta = (kind: 'name' | 'property', name: string, content: string): SeoTag => ({
  key: `${kind}:${name}`,
  tag: 'meta',
  attributes: { [kind]: name, content },
})

/** The tags for a page, in head order. */
export function seoTags({ title, plainTitle, description, path, noindex, type = 'website', image = DEFAULT_IMAGE, feed, jsonLd = [] }: SeoProps): SeoTag[] {
  const fullTitle = plainTitle || title.includes(SITE_NAME) ? title : `${title} | ${SITE_NAME}`
  const tags: SeoTag[] = [
    { key: 'title', tag: 'title', attributes: {}, text: fullTitle },
    meta('name', 'description', description),
    meta('name', 'robots', noindex ? 'noindex, nofollow' : 'index, follow, max-image-preview:large'),
    meta('property', 'og:title', fullTitle),
    meta('property', 'og:description', description),
    meta('property', 'og:type', type),
    meta('property', 'og:site_name', SITE_NAME),
    meta('property', 'og:locale', 'en_US'),
    meta('property', 'og:image', absolute(image)),
    meta('name', 'twitter:card', 'summary_large_image'),
  ]
  if (path !== undefined && !noindex) {
    tags.push(meta('property', 'og:url', absolute(path)))
    tags.push({ key: 'link:canonical', tag: 'link', attributes: { rel: 'canonical', href: absolute(path) } })
  }
  if (feed !== undefined) {
    const attributes = { rel: 'alternate', type: 'application/atom+xml', title: `${SITE_NAME}: Insights`, href: feed }
    tags.push({ key: 'link:alternate', tag: 'link', attributes })
  }
  jsonLd.forEach((data, index) =>
    tags.push({
      key: `jsonld:${index}`,
      tag: 'script',
      attributes: { type: 'application/ld+json' },
      text: safeJson({ '@context': 'https://schema.org', ...data }),
    }),
  )
  return tags
}

/** JSON that cannot close a script element. */
function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? char)

/** Head HTML for collected tags; a later tag replaces an earlier one with its key. */
export function renderTags(tags: SeoTag[]): string {
  const byKey = new Map(tags.map((tag) => [tag.key, tag]))
  return [...byKey.values()]
    .map(({ key, tag, attributes, text }) => {
      const pairs = Object.entries({ 'data-seo': key, ...attributes }).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
      const open = `<${tag}${pairs.join('')}>`
      if (tag === 'meta' || tag === 'link') return open
      return `${open}${tag === 'title' ? escapeHtml(text ?? '') : (text ?? '')}</${tag}>`
    })
    .join('\n    ')
}

/** Makes the document's head hold exactly these tags, touching only what differs. */
export function applyTags(tags: SeoTag[]): void {
  const keep = new Set(tags.map((tag) => tag.key))
  for (const element of document.head.querySelectorAll<HTMLElement>('[data-seo]')) {
    if (!keep.has(element.dataset.seo ?? '')) element.remove()
  }
  for (const { key, tag, attributes, text } of tags) {
    let element = document.head.querySelector(`[data-seo="${key}"]`)
    if (!element) {
      element = document.createElement(tag)
      element.setAttribute('data-seo', key)
      document.head.append(element)
    }
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    if (text !== undefined && element.textContent !== text) element.textContent = text
  }
}

const TITLED = 'umw:titled'
const TITLE_WAIT_MS = 1000
/** The path whose page has set the title last. */
let titled = ''

/** Runs `act` once the page of the path has its title, or after a second without one. Returns how to take it back. */
export function whenTitled(path: string, act: () => void): () => void {
  const finish = () => {
    forget()
    act()
  }
  const check = () => titled === path && finish()
  // A turn later at the soonest: a page may say its title after whoever asks.
  const timers = [setTimeout(check, 0), setTimeout(finish, TITLE_WAIT_MS)]
  const forget = () => {
    for (const timer of timers) clearTimeout(timer)
    window.removeEventListener(TITLED, check)
  }
  window.addEventListener(TITLED, check)
  return forget
}

/** Receives tags while prerendering; absent in the browser. */
const Collected = createContext<SeoTag[] | null>(null)
export const SeoCollector = Collected

export function Seo(props: SeoProps) {
  const collected = use(Collected)
  const tags = seoTags(props)
  if (collected) collected.splice(0, collected.length, ...tags)
  const identity = JSON.stringify(tags)
  useEffect(() => {
    applyTags(JSON.parse(identity) as SeoTag[])
    titled = window.location.pathname
    window.dispatchEvent(new Event(TITLED))
  }, [identity])
  return null
}
