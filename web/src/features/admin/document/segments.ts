/**
 * Stored HTML as the pieces it is made of: its outermost blocks, each to the letter, with the white space after it
 * and the divisions it stands in. Joined again they are the stored text.
 *
 * Where a block ends is found by its tags, and then asked of the browser's parser: the pieces parsed one by one must
 * be what the whole is, else there are none.
 */

/** A division around blocks: what opens and what closes it, with the white space after each. */
export interface Wrapper {
  open: string
  close: string
}

export interface Segment {
  source: string
  /** White space behind the block. */
  after: string
  /** Outermost first; the same objects for all blocks of one division. */
  wrappers: readonly Wrapper[]
}

export interface Segments {
  /** White space in front of the first block. */
  before: string
  segments: Segment[]
}

const TOKEN = /<!--[\s\S]*?-->|<\/?[a-zA-Z][^\s/>]*(?:"[^"]*"|'[^']*'|[^"'>])*>|[^<]+|</g
const VOID = new Set('br img hr input wbr area base col embed link meta param source track'.split(' '))
const INLINE = new Set('a b i s u em strong code span img br strike del ins small sub sup mark font kbd abbr cite q label'.split(' '))

interface Part {
  kind: 'space' | 'inline' | 'block'
  text: string
  tag: string
  /** Lengths of the tags that open and close a block. */
  open: number
  close: number
}

/** The outermost nodes; null when the tags do not match. */
function partsOf(html: string): Part[] | null {
  const parts: Part[] = []
  const stack: string[] = []
  let start = 0
  let open = 0
  for (const { 0: token, index } of html.matchAll(TOKEN)) {
    const [, slash, name] = /^<(\/?)([a-zA-Z][^\s/>]*)/.exec(token) ?? []
    const tag = name?.toLowerCase() ?? ''
    const end = index + token.length
    if (stack.length === 0) start = index
    if (tag === '') {
      if (stack.length === 0) parts.push({ kind: /\S/.test(token) && !token.startsWith('<!--') ? 'inline' : 'space', text: token, tag, open: 0, close: 0 })
    } else if (slash) {
      if (stack.pop() !== tag) return null
      if (stack.length === 0) parts.push({ kind: INLINE.has(tag) ? 'inline' : 'block', text: html.slice(start, end), tag, open, close: token.length })
    } else if (!VOID.has(tag)) {
      if (stack.length === 0) open = token.length
      stack.push(tag)
    } else if (stack.length === 0) parts.push({ kind: INLINE.has(tag) ? 'inline' : 'block', text: token, tag, open: 0, close: 0 })
  }
  return stack.length === 0 ? parts : null
}

function parse(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}

/** Whether the texts, parsed one by one, are what they are together. */
function areApart(whole: string, texts: readonly string[]): boolean {
  const [apart, all] = [document.createElement('div'), document.createElement('div')]
  apart.append(...texts.map(parse))
  all.append(parse(whole))
  apart.normalize()
  all.normalize()
  return apart.isEqualNode(all)
}

function segmentsIn(html: string, wrappers: readonly Wrapper[]): Segments | null {
  const parts = partsOf(html)
  if (!parts) return null
  let before = ''
  const segments: Segment[] = []
  const texts: string[] = []
  let loose = ''
  let space = ''
  const addSpace = (text: string) => {
    const last = segments.at(-1)
    texts.push(text)
    if (!last) before += text
    else if (last.wrappers.length > wrappers.length) {
      const wrapper = last.wrappers[wrappers.length]
      if (wrapper) wrapper.close += text
    } else last.after += text
  }
  const endLoose = () => {
    if (loose !== '') {
      const text = loose.trimEnd()
      const lead = text.length - text.trimStart().length
      if (lead > 0) addSpace(text.slice(0, lead))
      segments.push({ source: text.slice(lead), after: '', wrappers })
      texts.push(text.slice(lead))
      space = loose.slice(text.length) + space
    }
    if (space !== '') addSpace(space)
    loose = ''
    space = ''
  }
  for (const { kind, text, tag, open, close } of parts) {
    if (kind === 'inline') {
      loose += space + text
      space = ''
      continue
    }
    if (kind === 'space') {
      space += text
      continue
    }
    endLoose()
    texts.push(text)
    const wrapper: Wrapper = { open: text.slice(0, open), close: text.slice(text.length - close) }
    const inside = tag === 'div' && close > 0 ? segmentsIn(text.slice(open, text.length - close), [...wrappers, wrapper]) : null
    if (inside && inside.segments.length > 0) {
      wrapper.open += inside.before
      segments.push(...inside.segments)
    } else segments.push({ source: text, after: '', wrappers })
  }
  endLoose()
  return areApart(html, texts) ? { before, segments } : null
}

/** The pieces of the text; null when they cannot be told apart, as in a text with unclosed tags. */
export function segmentsOf(html: string): Segments | null {
  const found = segmentsIn(html, [])
  return found && joined(found) === html ? found : null
}

function joined({ before, segments }: Segments): string {
  const paper = new Paper(before)
  for (const { source, after, wrappers } of segments) {
    paper.enter(wrappers)
    paper.write(source + after)
  }
  return paper.finish()
}

/** Collects blocks, opening and closing the divisions around them. */
export class Paper {
  #html: string
  #open: readonly Wrapper[] = []

  constructor(before: string) {
    this.#html = before
  }

  enter(wrappers: readonly Wrapper[]): void {
    let same = 0
    while (same < this.#open.length && this.#open[same] === wrappers[same]) same += 1
    for (const { close } of this.#open.slice(same).toReversed()) this.#html += close
    for (const { open } of wrappers.slice(same)) this.#html += open
    this.#open = wrappers
  }

  write(html: string): void {
    this.#html += html
  }

  finish(): string {
    this.enter([])
    return this.#html
  }
}
