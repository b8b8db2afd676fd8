/**
 * HTML as a document of the editor. Tables, which the editor cannot edit, become `raw` blocks; other structure it has
 * no form for is flattened, and no word is lost. Whether anything else was lost is for `article.ts` to see.
 */
import { sanitizedFragment } from '@/lib/html'
import type { Attributes, Embed, Op, Piece } from './types'

export function fromHtml(html: string): Op[] {
  const writer = new Writer()
  writeBlocks(sanitizedFragment(html), {}, writer)
  return writer.finish()
}

const HEADING = /^H([1-6])$/
const BLOCKS = new Set('P H1 H2 H3 H4 H5 H6 UL OL BLOCKQUOTE PRE TABLE DIV'.split(' '))

/** Collects pieces into lines and lines into ops. */
class Writer {
  readonly #ops: Op[] = []
  #pieces: Piece[] = []

  add(content: string | Embed, attributes: Attributes): void {
    this.#pieces.push({ content, attributes })
  }

  get hasText(): boolean {
    return collapse(this.#pieces).length > 0
  }

  /** Ends the line; `always` even when it is empty. */
  end(attributes: Attributes, always = false): void {
    const pieces = collapse(this.#pieces)
    this.#pieces = []
    if (pieces.length > 0 || always) this.#push([...pieces, { content: '\n', attributes }])
  }

  /** A line of preformatted text. */
  exact(text: string, attributes: Attributes): void {
    this.#push([...(text === '' ? [] : [{ content: text, attributes: {} }]), { content: '\n', attributes }])
  }

  raw(html: string): void {
    this.#push([{ content: { raw: html }, attributes: {} }])
  }

  /** The editor wants every document to end with a line break. */
  finish(): Op[] {
    this.end({})
    const last = this.#ops.at(-1)
    if (typeof last?.insert !== 'string' || !last.insert.endsWith('\n')) this.#push([{ content: '\n', attributes: {} }])
    return this.#ops
  }

  /** Appends, joining neighbours with equal attributes as the editor does. */
  #push(pieces: readonly Piece[]): void {
    for (const { content, attributes } of pieces) {
      const last = this.#ops.at(-1)
      if (last && typeof last.insert === 'string' && typeof content === 'string' && sameAttributes(last.attributes ?? {}, attributes)) last.insert += content
      else this.#ops.push(Object.keys(attributes).length > 0 ? { insert: content, attributes } : { insert: content })
    }
  }
}

function sameAttributes(a: Attributes, b: Attributes): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

/** White space as HTML shows it: runs are one space, none at either end or beside a break; no-break spaces stay. */
function collapse(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = []
  let afterSpace = true
  for (const { content, attributes } of pieces) {
    if (typeof content !== 'string') {
      afterSpace = 'softbreak' in content
      if (afterSpace) trimEnd(result)
      result.push({ content, attributes })
      continue
    }
    let text = content.replace(/[ \t\n\r\f]+/g, ' ')
    if (afterSpace && text.startsWith(' ')) text = text.slice(1)
    if (text === '') continue
    afterSpace = text.endsWith(' ')
    result.push({ content: text, attributes })
  }
  trimEnd(result)
  // A break that ends a line only keeps it open.
  if (isSoftBreak(result.at(-1))) result.pop()
  trimEnd(result)
  return result
}

const isSoftBreak = (piece: Piece | undefined) => piece !== undefined && typeof piece.content !== 'string' && 'softbreak' in piece.content

function trimEnd(pieces: Piece[]): void {
  const last = pieces.at(-1)
  if (typeof last?.content !== 'string' || !last.content.endsWith(' ')) return
  last.content = last.content.slice(0, -1)
  if (last.content === '') pieces.pop()
}

/** Alignment and indent from the editor's classes. */
function layoutOf(element: Element): Attributes {
  const attributes: Attributes = {}
  for (const name of element.classList) {
    const [, align] = /^ql-align-(center|right|justify)$/.exec(name) ?? []
    const [, indent] = /^ql-indent-([1-8])$/.exec(name) ?? []
    if (align) attributes.align = align
    if (indent) attributes.indent = Number(indent)
  }
  return attributes
}

/** `context` is what the surrounding element says about each line, such as `{ blockquote: true }`. */
function writeBlocks(parent: ParentNode, context: Attributes, writer: Writer): void {
  for (const node of parent.childNodes) {
    if (node instanceof Element && BLOCKS.has(node.tagName)) {
      writer.end(context)
      writeBlock(node, context, writer)
    } else writeInline(node, {}, writer)
  }
  writer.end(context)
}

function writeBlock(element: Element, context: Attributes, writer: Writer): void {
  const heading = HEADING.exec(element.tagName)
  switch (element.tagName) {
    case 'TABLE':
      return writer.raw(element.outerHTML)
    case 'PRE':
      return writeCode(element, writer)
    case 'UL':
    case 'OL':
      return writeList(element, 0, writer)
    case 'BLOCKQUOTE':
      return writeBlocks(element, { blockquote: true, ...layoutOf(element) }, writer)
    case 'DIV':
      return writeBlocks(element, { ...context, ...layoutOf(element) }, writer)
    default: {
      const attributes = { ...(heading ? { header: Number(heading[1]) } : context), ...layoutOf(element) }
      for (const child of element.childNodes) writeInline(child, {}, writer)
      return writer.end(attributes, true)
    }
  }
}

function writeCode(element: Element, writer: Writer): void {
  const attributes = { 'code-block': true, ...layoutOf(element) }
  const text = element.textContent ?? ''
  // Older articles end a block with a line break that is no line of it.
  const code = element.querySelector(':scope > code') ? text : text.replace(/\n$/, '')
  for (const line of code.split('\n')) writer.exact(line, attributes)
}

function writeList(list: Element, depth: number, writer: Writer): void {
  const type = list.tagName === 'OL' ? 'ordered' : 'bullet'
  for (const item of list.children) {
    if (item.tagName === 'UL' || item.tagName === 'OL') {
      writeList(item, depth + 1, writer)
      continue
    }
    const { indent = 0, ...layout } = layoutOf(item)
    const level = Math.min(depth + Number(indent), 8)
    const attributes: Attributes = { list: type, ...layout, ...(level > 0 ? { indent: level } : {}) }
    let written = false
    const endLine = (always: boolean) => {
      const ends = always || writer.hasText
      writer.end(attributes, always)
      written ||= ends
    }
    for (const node of item.childNodes) {
      if (node instanceof Element && BLOCKS.has(node.tagName)) {
        const isList = node.tagName === 'UL' || node.tagName === 'OL'
        endLine(isList && !written)
        if (isList) writeList(node, depth + 1, writer)
        else if (node.tagName === 'P' || HEADING.test(node.tagName) || node.tagName === 'DIV') {
          for (const child of node.childNodes) writeInline(child, {}, writer)
          endLine(false)
        } else writeBlock(node, {}, writer)
      } else writeInline(node, {}, writer)
    }
    endLine(!written)
  }
}

const MARK_OF: Record<string, string> = { STRONG: 'bold', EM: 'italic', U: 'underline', CODE: 'code' }

function markOf(element: Element): Attributes {
  const mark = MARK_OF[element.tagName]
  if (mark) return { [mark]: true }
  const href = element.tagName === 'A' ? element.getAttribute('href') : null
  if (href) return { link: href }
  return element.classList.contains('ql-strike') ? { strike: true } : {}
}

function writeInline(node: Node, marks: Attributes, writer: Writer): void {
  if (node instanceof Text) writer.add(node.data, marks)
  else if (node instanceof HTMLBRElement) writer.add({ softbreak: true }, {})
  else if (node instanceof HTMLImageElement) {
    const src = node.getAttribute('src')
    if (src) writer.add({ image: src }, { ...(node.alt === '' ? {} : { alt: node.alt }), ...marks })
  } else if (node instanceof Element) {
    for (const child of node.childNodes) writeInline(child, { ...marks, ...markOf(node) }, writer)
  }
}
