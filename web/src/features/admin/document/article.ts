/**
 * A stored article as it is being edited: what the writer does not touch is stored again to the letter.
 *
 * Each outermost block of the stored HTML is loaded by itself, and its lines carry the block's name (`source`) through
 * the editor. On saving, a block whose lines are still what they were is written as it was stored, and only the rest
 * is made anew. So nothing depends on the editor's way of writing HTML. A block whose meaning does not come back from
 * its lines is never loaded as lines at all: it is shown as an opaque block that the editor cannot take apart.
 */
import { sanitizeHtml, sanitizedFragment } from '@/lib/html'
import { uuid } from '@/lib/uuid'
import { canonical } from './canonical'
import { fromHtml } from './from-html'
import { Paper, type Segment, type Wrapper, segmentsOf } from './segments'
import { groupsOf, joins, kindOf, linesOf, renderGroup } from './to-html'
import type { Line, Op } from './types'

interface Source extends Segment {
  /** The lines it was loaded as. */
  lines: Line[]
}

const EMPTY_LINE: Op = { insert: '\n' }

export class Article {
  /** Whether the stored text was no well-formed HTML, and is kept in its mended form instead of to the letter. */
  readonly mended: boolean
  readonly #before: string
  readonly #sources = new Map<string, Source>()
  readonly #opaque = new Set<string>()

  constructor(html: string) {
    const found = segmentsOf(html)
    this.mended = found === null
    const { before, segments } = found ?? segmentsOf(sanitizeHtml(html)) ?? { before: '', segments: [{ source: sanitizeHtml(html), after: '', wrappers: [] }] }
    this.#before = before
    // Lines may be pasted from an article in another tab: their names must mean nothing here.
    const name = uuid().slice(0, 8)
    segments.forEach((segment, index) => {
      const id = `${name}-${index}`
      this.#sources.set(id, { ...segment, lines: [] })
      if (!isEditable(segment.source)) this.#opaque.add(id)
    })
  }

  /** The document to load, once more after `adopt` was false. */
  get ops(): Op[] {
    const ops = [...this.#sources].flatMap(([id, { source }]) => named(this.#opsOf(id, source), id))
    const last = ops.at(-1)
    return typeof last?.insert === 'string' && last.insert.endsWith('\n') ? ops : [...ops, EMPTY_LINE]
  }

  #opsOf(id: string, source: string): Op[] {
    return this.#opaque.has(id) ? [{ insert: { raw: sanitizeHtml(source) } }] : withoutEnd(fromHtml(source))
  }

  /**
   * Takes what the editor holds after loading as the untouched article. False when it holds something else than it was
   * given: then the blocks it changed have become opaque, and `ops` has to be loaded again.
   */
  adopt(held: readonly Op[]): boolean {
    const given = bySource(linesOf(this.ops))
    const lines = bySource(linesOf(held))
    const changed = [...this.#sources.keys()].filter((id) => !this.#opaque.has(id) && !sameLines(given.get(id) ?? [], lines.get(id) ?? []))
    for (const id of changed) this.#opaque.add(id)
    for (const [id, source] of this.#sources) source.lines = lines.get(id) ?? []
    return changed.length === 0
  }

  /** The article with what the writer did. */
  save(held: readonly Op[]): string {
    const paper = new Paper(this.#before)
    const used = new Set<string>()
    let wrappers: readonly Wrapper[] = []
    for (const group of groupsOf(linesOf(held), (line, next) => joins(line, next) && !this.#areTwo(line, next))) {
      const ids = group.map(sourceOf).filter((id) => this.#sources.has(id))
      const [first] = ids
      const source = this.#sources.get(first ?? '')
      if (source) wrappers = source.wrappers
      paper.enter(wrappers)
      const isFresh = first !== undefined && !used.has(first)
      if (source && isFresh && sameLines(source.lines, group)) paper.write(source.source)
      else paper.write(source && isFresh && isHome(source, group) ? withAttributes(renderGroup(group), source.source) : renderGroup(group))
      for (const id of new Set(ids)) {
        if (!used.has(id)) paper.write(this.#sources.get(id)?.after ?? '')
        used.add(id)
      }
    }
    return paper.finish()
  }

  /** Two lists, quotations or code blocks that were stored side by side stay two. */
  #areTwo(line: Line, next: Line): boolean {
    if (sourceOf(line) === sourceOf(next)) return false
    const [one, other] = [this.#sources.get(sourceOf(line)), this.#sources.get(sourceOf(next))]
    return one !== undefined && other !== undefined && isHome(one, [line]) && isHome(other, [next])
  }
}

const sourceOf = ({ attributes }: Line): string => String(attributes.source ?? '')

/** Whether the lines are of the kind the block was stored as. */
const isHome = ({ lines: [first] }: Source, [line]: readonly Line[]) => first !== undefined && line !== undefined && kindOf(first) === kindOf(line)

/** Whether the editor's lines say all that the block says. */
function isEditable(source: string): boolean {
  const lines = linesOf(fromHtml(source))
  const [first] = lines
  if (!first || kindOf(first) === 'raw') return false
  const groups = groupsOf(lines, joins)
  if (groups.length !== 1) return false
  return canonical(sanitizedFragment(withAttributes(renderGroup(lines), source))) === canonical(loose(sanitizedFragment(source)))
}

/** Text without a block around it is shown, and written once it is touched, as a paragraph. */
function loose(fragment: DocumentFragment): ParentNode {
  const [first] = fragment.children
  if (fragment.childElementCount > 0 && first && /^(?:P|H[1-6]|UL|OL|BLOCKQUOTE|PRE|TABLE|DIV)$/.test(first.tagName)) return fragment
  const paragraph = document.createElement('p')
  paragraph.append(fragment)
  const holder = document.createElement('div')
  holder.append(paragraph)
  return holder
}

/** The last line break of the ops is the editor's own when a block ends without one. */
function withoutEnd(ops: Op[]): Op[] {
  const last = ops.at(-1)
  const before = ops.at(-2)
  return last?.insert === '\n' && !last.attributes && typeof before?.insert === 'object' && 'raw' in before.insert ? ops.slice(0, -1) : ops
}

/** The ops with the block's name on each of their lines. */
function named(ops: readonly Op[], source: string): Op[] {
  return ops.flatMap(({ insert, attributes }): Op[] => {
    if (typeof insert !== 'string') return ['raw' in insert ? { insert, attributes: { ...attributes, source } } : { insert, ...(attributes && { attributes }) }]
    return insert.split(/(\n)/).filter((part) => part !== '').map((part) => {
      const own = part === '\n' ? { ...attributes, source } : attributes
      return own ? { insert: part, attributes: own } : { insert: part }
    })
  })
}

function bySource(lines: readonly Line[]): Map<string, Line[]> {
  const found = new Map<string, Line[]>()
  for (const line of lines) found.set(sourceOf(line), [...(found.get(sourceOf(line)) ?? []), line])
  return found
}

const sorted = (attributes: object) => Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))

/** A line as text, the same for the same content however it is cut into pieces. */
function keyOf({ pieces, attributes }: Line): string {
  const merged: [string, string][] = []
  for (const piece of pieces) {
    const own = JSON.stringify(sorted(piece.attributes))
    const last = merged.at(-1)
    const text = typeof piece.content === 'string' ? piece.content : `\u0000${JSON.stringify(piece.content)}`
    if (last && last[0] === own && !text.startsWith('\u0000') && !last[1].startsWith('\u0000')) last[1] += text
    else merged.push([own, text])
  }
  return JSON.stringify([merged, sorted(attributes)])
}

const sameLines = (a: readonly Line[], b: readonly Line[]) => a.length === b.length && a.every((line, index) => keyOf(line) === keyOf(b[index] as Line))

/** Names, tooltips and classes of a block that the editor knows nothing of stay on it when its text changes. */
function withAttributes(html: string, source: string): string {
  const block = sanitizedFragment(source).firstElementChild
  if (!block || !/^(?:P|H[1-6]|UL|OL|BLOCKQUOTE|PRE)$/.test(block.tagName)) return html
  const holder = document.createElement('div')
  holder.append(sanitizedFragment(html))
  const made = holder.firstElementChild
  if (!made) return html
  const kept = [...block.attributes].filter(({ name }) => name === 'id' || name === 'title')
  for (const { name, value } of kept) made.setAttribute(name, value)
  const classes = [...block.classList].filter((name) => !/^ql-(?:align|indent)-/.test(name))
  if (classes.length === 0 && kept.length === 0) return html
  if (classes.length > 0) made.className = [...made.classList, ...classes].join(' ')
  return holder.innerHTML
}

const OLDER = /<(?:b|i|s|strike|del)[\s>]/i

/** Tags that HTML was typed or uploaded with get their modern form; the server would drop them. All else stays. */
export function modernHtml(html: string): string {
  if (!OLDER.test(html)) return html
  const found = segmentsOf(html)
  if (!found) return sanitizeHtml(html)
  const paper = new Paper(found.before)
  for (const { source, after, wrappers } of found.segments) {
    paper.enter(wrappers)
    paper.write((OLDER.test(source) ? sanitizeHtml(source) : source) + after)
  }
  return paper.finish()
}
