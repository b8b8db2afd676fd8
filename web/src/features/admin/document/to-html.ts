/**
 * The editor's document as article HTML, with nothing in it that the allowlist would take away.
 *
 * Lines become paragraphs, headings, nested lists, quotations and code blocks; formatting becomes tags, or one of
 * the editor's own classes where HTML has no tag for it (alignment, indent, struck text). `from-html.ts` reads
 * all of it back; the two together change nothing.
 */
import { type Attributes, type Embed, type Line, type Op, type Piece, isRaw } from './types'

export const toHtml = (ops: readonly Op[]): string => groupsOf(linesOf(ops), joins).map(renderGroup).join('')

/** The lines of a document, without an empty last one that the editor alone wants. */
export function linesOf(ops: readonly Op[]): Line[] {
  const lines: Line[] = []
  let pieces: Piece[] = []
  const end = (attributes: Attributes) => {
    lines.push({ pieces, attributes })
    pieces = []
  }
  for (const { insert, attributes = {} } of ops) {
    if (typeof insert !== 'string') {
      if (isRaw(insert) && pieces.length > 0) end({})
      pieces.push({ content: insert, attributes: isRaw(insert) ? {} : attributes })
      if (isRaw(insert)) end(attributes)
      continue
    }
    insert.split('\n').forEach((text, index) => {
      if (index > 0) end(attributes)
      if (text !== '') pieces.push({ content: text, attributes })
    })
  }
  if (pieces.length > 0) end({})
  return withoutForcedEnd(lines)
}

/** An empty document, and one that ends with a block the cursor cannot enter, have one empty line too many. */
function withoutForcedEnd(lines: Line[]): Line[] {
  const last = lines.at(-1)
  if (!last || last.pieces.length > 0 || Object.keys(last.attributes).length > 0) return lines
  const before = lines.at(-2)
  return before === undefined || rawOf(before) !== undefined ? lines.slice(0, -1) : lines
}

function rawOf({ pieces: [first] }: Line): string | undefined {
  return first && isRaw(first.content) ? first.content.raw : undefined
}

export type Kind = 'raw' | 'list' | 'quote' | 'code' | 'text'

export function kindOf(line: Line): Kind {
  if (rawOf(line) !== undefined) return 'raw'
  if (line.attributes.list) return 'list'
  if (line.attributes.blockquote) return 'quote'
  return line.attributes['code-block'] ? 'code' : 'text'
}

/** Whether a line goes on in the element of the one before: a list, a quotation, or a code block of one alignment. */
export function joins(line: Line, next: Line): boolean {
  const kind = kindOf(line)
  if (kind === 'raw' || kind === 'text' || kindOf(next) !== kind) return false
  return kind !== 'code' || layoutClass(line.attributes) === layoutClass(next.attributes)
}

/** The lines by the elements they share. */
export function groupsOf(lines: readonly Line[], areJoined: (line: Line, next: Line) => boolean): Line[][] {
  const groups: Line[][] = []
  for (const line of lines) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && areJoined(last, line)) group.push(line)
    else groups.push([line])
  }
  return groups
}

export function renderGroup(group: readonly Line[]): string {
  const [first] = group
  if (!first) return ''
  const { attributes } = first
  switch (kindOf(first)) {
    case 'raw':
      return rawOf(first) ?? ''
    case 'list':
      return renderList(group)
    case 'quote':
      return `<blockquote>${group.map((line) => block('p', line)).join('')}</blockquote>`
    case 'code':
      // A line break right after <pre> would be dropped by every parser; after <code> it counts.
      return `<pre${layoutClass(attributes)}><code>${group.map(codeText).join('\n')}</code></pre>`
    case 'text':
      return block(headingTag(attributes.header) ?? 'p', first)
  }
}

const headingTag = (level: unknown) => (Number.isInteger(level) && Number(level) >= 1 && Number(level) <= 6 ? `h${Number(level)}` : undefined)

const block = (tag: string, line: Line) => `<${tag}${layoutClass(line.attributes)}>${inline(line) || '<br>'}${endsOpen(line) ? '<br>' : ''}</${tag}>`

/** A break at the very end shows only if another one follows. */
function endsOpen({ pieces }: Line): boolean {
  const last = pieces.at(-1)
  return last !== undefined && typeof last.content !== 'string' && 'softbreak' in last.content
}

const codeText = ({ pieces }: Line) => escapeText(pieces.map(({ content }) => (typeof content === 'string' ? content : '')).join(''))

const ALIGNMENTS = new Set<unknown>(['center', 'right', 'justify'])

function indentOf(attributes: Attributes): number {
  const indent = Number(attributes.indent ?? 0)
  return Number.isInteger(indent) && indent > 0 ? Math.min(indent, 8) : 0
}

/** ` class="…"` for alignment and for `indent` steps, or nothing. */
function layoutClass(attributes: Attributes, indent = indentOf(attributes)): string {
  const { align } = attributes
  const names = [ALIGNMENTS.has(align) ? `ql-align-${String(align)}` : '', indent > 0 ? `ql-indent-${indent}` : ''].filter(Boolean)
  return names.length > 0 ? ` class="${names.join(' ')}"` : ''
}

/** Nested lists. A line indented further than its list is deep keeps the difference as a class. */
function renderList(lines: readonly Line[]): string {
  const open: { tag: string; indent: number }[] = []
  let html = ''
  const closeList = () => {
    html += `</li></${open.pop()?.tag}>`
  }
  for (const line of lines) {
    const tag = line.attributes.list === 'ordered' ? 'ol' : 'ul'
    const indent = indentOf(line.attributes)
    while ((open.at(-1)?.indent ?? -1) > indent) closeList()
    let top = open.at(-1)
    if (top?.indent === indent && top.tag !== tag) {
      closeList()
      top = open.at(-1)
    }
    if (top?.indent === indent) html += '</li>'
    else {
      open.push({ tag, indent })
      html += `<${tag}>`
    }
    html += `<li${layoutClass(line.attributes, indent - (open.length - 1))}>${inline(line)}${endsOpen(line) ? '<br>' : ''}`
  }
  while (open.length > 0) closeList()
  return html
}

/** Formats of running text, outermost first. */
const MARKS: { name: string; open: (value: unknown) => string; close: string }[] = [
  { name: 'link', open: (href) => openLink(String(href)), close: '</a>' },
  { name: 'bold', open: () => '<strong>', close: '</strong>' },
  { name: 'italic', open: () => '<em>', close: '</em>' },
  { name: 'underline', open: () => '<u>', close: '</u>' },
  { name: 'strike', open: () => '<span class="ql-strike">', close: '</span>' },
  { name: 'code', open: () => '<code>', close: '</code>' },
]

function openLink(href: string): string {
  const external = /^(?:https?:)?\/\//i.test(href) ? ' target="_blank" rel="noopener noreferrer"' : ''
  return `<a href="${escapeAttribute(href)}"${external}>`
}

function inline(line: Line): string {
  const texts = keepSpaces(line.pieces)
  let open: { name: string; value: unknown; close: string }[] = []
  let html = ''
  line.pieces.forEach(({ content, attributes }, index) => {
    const wanted = MARKS.filter(({ name }) => attributes[name])
    const same = commonStart(open, wanted, attributes)
    html += open.slice(same).toReversed().map(({ close }) => close).join('')
    html += wanted.slice(same).map((mark) => mark.open(attributes[mark.name])).join('')
    open = wanted.map(({ name, close }) => ({ name, value: attributes[name], close }))
    html += typeof content === 'string' ? escapeText(texts[index] ?? '') : renderEmbed(content, attributes)
  })
  return html + open.toReversed().map(({ close }) => close).join('')
}

/** How many of the open tags the next piece shares. */
function commonStart(open: { name: string; value: unknown }[], wanted: { name: string }[], attributes: Attributes): number {
  let same = 0
  while (same < open.length && open[same]?.name === wanted[same]?.name && open[same]?.value === attributes[open[same]?.name ?? '']) same += 1
  return same
}

function renderEmbed(content: Embed, attributes: Attributes): string {
  if (isRaw(content)) return content.raw
  if ('softbreak' in content) return '<br>'
  return `<img src="${escapeAttribute(content.image)}" alt="${escapeAttribute(String(attributes.alt ?? ''))}">`
}

/** Stand for embeds while the spaces of a line are looked at: a space beside a break would not show either. */
const EMBED = '\ufffc'
const BREAK = '\u2028'

/**
 * The line's texts with spaces that HTML will keep: one between words stays an ordinary space, where lines can
 * wrap and searches match; further ones and those at either end become no-break spaces.
 */
function keepSpaces(pieces: readonly Piece[]): string[] {
  const texts = pieces.map(({ content }) => (typeof content === 'string' ? content.replace(/[\r\f\v]/g, ' ').replaceAll('\t', '\u2003') : 'softbreak' in content ? BREAK : EMBED))
  const line = texts.join('')
  const kept = line.replace(/ +/g, (run, at: number) => {
    const atEdge = at === 0 || at + run.length === line.length || line[at - 1] === BREAK || line[at + run.length] === BREAK
    return atEdge ? '\u00a0'.repeat(run.length) : `${'\u00a0'.repeat(run.length - 1)} `
  })
  let at = 0
  return texts.map((text) => kept.slice(at, (at += text.length)))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\u00a0': '&nbsp;' }
const escapeText = (text: string) => text.replace(/[&<>\u00a0]/g, (char) => ENTITIES[char] ?? char)
const escapeAttribute = (text: string) => text.replace(/[&"\u00a0<>]/g, (char) => ENTITIES[char] ?? char)
