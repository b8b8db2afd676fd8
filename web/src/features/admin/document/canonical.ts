/**
 * What HTML says, whichever of several ways it says it: two texts with the same canonical form look and mean the same.
 * Order of marks, white space that shows nowhere, and a paragraph as the only content of a list item or quotation
 * make no difference; everything else does.
 */

const BLOCKS = new Set('P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE PRE TABLE THEAD TBODY TR TH TD DIV'.split(' '))
/** Written by the sanitizer from the address alone. */
const DERIVED = new Set(['target', 'rel'])

type Run = [marks: string, text: string]

const BREAK = '\u0000br'

function attributesOf(element: Element): string {
  return [...element.attributes]
    .filter(({ name, value }) => !DERIVED.has(name) && !((name === 'alt' || name === 'class') && value.trim() === ''))
    .map(({ name, value }) => `${name}=${JSON.stringify(name === 'class' ? value.trim().split(/\s+/).sort().join(' ') : value)}`)
    .sort()
    .join(' ')
}

const sameMarks = (marks: ReadonlySet<string>) => [...marks].sort().join('|')

class Reader {
  readonly #out: string[] = []
  #runs: Run[] = []

  text(): string {
    this.#flush()
    return this.#out.join('')
  }

  children(parent: ParentNode, marks: ReadonlySet<string>, isCode: boolean): void {
    for (const node of parent.childNodes) {
      if (node instanceof Text) this.#runs.push([sameMarks(marks), node.data])
      else if (node instanceof Element) this.#element(node, marks, isCode)
    }
  }

  #element(node: Element, marks: ReadonlySet<string>, isCode: boolean): void {
    const attributes = attributesOf(node)
    if (node.tagName === 'BR') this.#runs.push(['', BREAK])
    else if (node.tagName === 'IMG') this.#runs.push([sameMarks(marks), `\u0001${attributes}`])
    else if (!BLOCKS.has(node.tagName)) {
      const isPlain = attributes === '' && (node.tagName === 'SPAN' || (isCode && node.tagName === 'CODE' && node.parentElement?.tagName === 'PRE'))
      this.children(node, isPlain ? marks : new Set([...marks, `${node.tagName} ${attributes}`]), isCode)
    } else this.#block(node, attributes)
  }

  #block(node: Element, attributes: string): void {
    this.#flush()
    const parent = node.parentElement
    const isImplied =
      node.tagName === 'P' && attributes === '' && (parent?.tagName === 'LI' ? node === parent.firstElementChild && isFirst(node) && restAreLists(node) : parent?.tagName === 'BLOCKQUOTE' && parent.childElementCount === 1)
    if (!isImplied) this.#out.push(`<${node.tagName} ${attributes}>`)
    if (node.tagName === 'PRE') {
      this.children(node, new Set(), true)
      const isOlder = node.querySelector(':scope > code') === null
      this.#flush(isOlder ? 'older' : 'code')
    } else this.children(node, new Set(), false)
    this.#flush()
    if (!isImplied) this.#out.push(`</${node.tagName}>`)
  }

  #flush(code?: 'code' | 'older'): void {
    const runs = code ? this.#runs : collapsed(this.#runs)
    this.#runs = []
    const merged: Run[] = []
    for (const [marks, text] of runs) {
      const last = merged.at(-1)
      if (last && last[0] === marks && !text.startsWith('\u0001') && text !== BREAK && last[1] !== BREAK && !last[1].startsWith('\u0001')) last[1] += text
      else if (text !== '') merged.push([marks, text])
    }
    const last = merged.at(-1)
    if (code === 'older' && last) last[1] = last[1].replace(/\n$/, '')
    // A break that ends a block only keeps it open.
    if (!code && last?.[1] === BREAK) merged.pop()
    if (merged.length > 0) this.#out.push(JSON.stringify(merged))
  }
}

/** Nothing but white space in front. */
function isFirst(node: Element): boolean {
  for (let before = node.previousSibling; before; before = before.previousSibling) if ((before.textContent ?? '').trim() !== '') return false
  return true
}

function restAreLists(node: Element): boolean {
  for (let next = node.nextSibling; next; next = next.nextSibling) {
    if (next instanceof Element ? next.tagName !== 'UL' && next.tagName !== 'OL' : (next.textContent ?? '').trim() !== '') return false
  }
  return true
}

/** White space as it shows: one space for a run of it, none at the edges of a block or beside a line break. */
function collapsed(runs: readonly Run[]): Run[] {
  const result: Run[] = []
  let afterSpace = true
  for (const [marks, text] of runs) {
    if (text === BREAK) {
      trimEnd(result)
      afterSpace = true
      result.push([marks, text])
    } else if (text.startsWith('\u0001')) {
      afterSpace = false
      result.push([marks, text])
    } else {
      let shown = text.replace(/[ \t\n\r\f]+/g, ' ')
      if (afterSpace && shown.startsWith(' ')) shown = shown.slice(1)
      if (shown !== '') {
        afterSpace = shown.endsWith(' ')
        result.push([marks, shown])
      }
    }
  }
  trimEnd(result)
  return result
}

function trimEnd(runs: Run[]): void {
  const last = runs.at(-1)
  if (!last?.[1].endsWith(' ')) return
  last[1] = last[1].slice(0, -1)
  if (last[1] === '') runs.pop()
}

export function canonical(root: ParentNode): string {
  const reader = new Reader()
  reader.children(root, new Set(), false)
  return reader.text()
}
