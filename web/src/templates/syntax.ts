/**
 * Marks in rendered HTML → a template as functions/shared/templates.py reads it:
 *
 *   {{text title}}                           a value; the kind says how it is escaped
 *   {{if excerpt}}…{{else}}…{{end}}          shown when the value is there
 *   {{each posts}}…{{end}}, {{each tags 2}}  once for each item, or for the first two
 */
import { CLOSE, OPEN } from './slots'

const MARK = new RegExp(`${OPEN}([a-z-]+)(?::([a-z_.]+))?(?::([0-9]+))?${CLOSE}`, 'g')
const ENCODED = new RegExp(`${encodeURIComponent(OPEN)}(.*?)${encodeURIComponent(CLOSE)}`, 'g')
/** Hints for pictures whose address is a slot; React writes them in front of everything, outside of any condition. */
const HINT = new RegExp(`<link rel="preload" as="image" href="${OPEN}[^>]*>`, 'g')
const TAG = /<[a-z][^>]*>/gi

export function toTemplate(html: string): string {
  if (html.includes('{{')) throw new Error('A page holds "{{", which would be read as a slot')
  const written = html
    .replaceAll('<!-- -->', '')
    .replace(/<!--\/?\$-->/g, '')
    .replace(HINT, '')
    .replace(TAG, (tag) => tag.replace(/="[^"]*"/g, encodedSlots))
    .replaceAll(new RegExp(`/(${OPEN}address:)`, 'g'), '$1')
  assertPlaces(written)
  const template = written.replace(MARK, (_mark, ...parts: unknown[]) => `{{${parts.slice(0, 3).filter(Boolean).join(' ')}}}`)
  if (template.includes(OPEN) || template.includes(CLOSE)) throw new Error('A slot was changed on its way into the page')
  return template
}

/** What a component encoded as part of an address is encoded so when it is filled: as a segment, or behind `?` as a value. */
function encodedSlots(attribute: string): string {
  return attribute.replace(ENCODED, (_encoded, inner: string, position: number) => {
    const [kind, name] = decodeURIComponent(inner).split(':')
    if (kind !== 'text') throw new Error(`An address is made of {{${kind} ${name}}}`)
    return `${OPEN}${attribute.slice(0, position).includes('?') ? 'query' : 'segment'}:${name}${CLOSE}`
  })
}

/** Each kind only where its escaping holds: markup never in a tag, an address only as a whole, JSON only in a script. */
function assertPlaces(html: string): void {
  for (const [tag] of html.matchAll(TAG)) {
    for (const [mark, kind = ''] of tag.matchAll(MARK)) {
      const isWhole = tag.includes(`="${mark}"`)
      const fits = kind === 'url' ? isWhole && tag.includes(`src="${mark}"`) : ['text', 'address', 'segment', 'query'].includes(kind)
      if (!fits) throw new Error(`${mark} stands in ${tag}`)
    }
  }
  const scripts = [...html.matchAll(/<script\b[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => text).join('')
  const outside = html.replace(/<script\b[^>]*>.*?<\/script>/gs, '').replace(TAG, '')
  for (const [mark, kind] of scripts.matchAll(MARK)) if (kind !== 'json') throw new Error(`${mark} stands in a script`)
  for (const [mark, kind = ''] of outside.matchAll(MARK)) {
    if (['json', 'url', 'segment', 'query'].includes(kind)) throw new Error(`${mark} stands in text`)
  }
}
