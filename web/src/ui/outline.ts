/**
 * What an article is made of, read from its prepared HTML: sections to jump to and pages of others that it links to.
 * `functions/shared/outline.py` reads the same of the same text.
 */
export interface Section {
  id: string
  text: string
}

export interface Source {
  address: string
  text: string
  host: string
}

/** Fewer sections need no list of them. */
const SECTIONS_AT_LEAST = 3
const SOURCES_AT_MOST = 12

const HEADING = /<h([23])((?:\s[^>]*)?)>([\s\S]*?)<\/h\1>/g
const LINK = /<a((?:\s[^>]*)?)>([\s\S]*?)<\/a>/g
const ANCHOR = /<a class="heading-anchor"[\s\S]*?<\/a>/g
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

const decode = (text: string) => text.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
const words = (html: string) => decode(html.replace(ANCHOR, '').replace(/<[^>]*>/g, '')).replace(/[ \t\n\r\f]+/g, ' ').replace(/^ | $/g, '')
const attribute = (attributes: string, name: string) => decode(new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')

export function sectionsOf(html: string): Section[] {
  const found = [...html.matchAll(HEADING)]
    .map(([, , attributes = '', inner = '']) => ({ id: attribute(attributes, 'id'), text: words(inner) }))
    .filter(({ id, text }) => id !== '' && text !== '')
  return found.length >= SECTIONS_AT_LEAST ? found : []
}

export function sourcesOf(html: string): Source[] {
  const found = new Map<string, Source>()
  for (const [, attributes = '', inner = ''] of html.matchAll(LINK)) {
    const address = attribute(attributes, 'href')
    const [, host] = /^https?:\/\/([^/?#]+)/.exec(address) ?? []
    const text = words(inner)
    if (host !== undefined && text !== '' && !found.has(address)) found.set(address, { address, text, host })
  }
  return [...found.values()].slice(0, SOURCES_AT_MOST)
}
