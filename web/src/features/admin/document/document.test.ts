import { describe, expect, test } from 'vitest'
import { sanitizeHtml } from '@/lib/html'
import { fromHtml } from './from-html'
import { toHtml } from './to-html'
import type { Attributes, Op } from './types'

const roundTrip = (html: string) => toHtml(fromHtml(html))

describe('what a writer formats is what the article gets', () => {
  test.each<[string, Op[], string]>([
    ['an empty document', [{ insert: '\n' }], ''],
    ['paragraphs', [{ insert: 'One\nTwo\n' }], '<p>One</p><p>Two</p>'],
    ['an empty line', [{ insert: 'One\n\nTwo\n' }], '<p>One</p><p><br></p><p>Two</p>'],
    ['headings', [{ insert: 'A' }, { insert: '\n', attributes: { header: 1 } }, { insert: 'B' }, { insert: '\n', attributes: { header: 6 } }], '<h1>A</h1><h6>B</h6>'],
    [
      'running text',
      [
        { insert: 'b', attributes: { bold: true } },
        { insert: 'bi', attributes: { bold: true, italic: true } },
        { insert: 'u', attributes: { underline: true } },
        { insert: 's', attributes: { strike: true } },
        { insert: '\n' },
      ],
      '<p><strong>b<em>bi</em></strong><u>u</u><span class="ql-strike">s</span></p>',
    ],
    ['signs of HTML', [{ insert: '1 < 2 & "3" > 0\n' }], '<p>1 &lt; 2 &amp; "3" &gt; 0</p>'],
    [
      'links',
      [
        { insert: 'out', attributes: { link: 'https://osha.gov/?a=1&b="2"' } },
        { insert: ' ' },
        { insert: 'in', attributes: { link: '/quote' } },
        { insert: '\n' },
      ],
      '<p><a href="https://osha.gov/?a=1&amp;b=&quot;2&quot;" target="_blank" rel="noopener noreferrer">out</a> <a href="/quote">in</a></p>',
    ],
    ['bullets stay bullets', [{ insert: 'a' }, { insert: '\n', attributes: { list: 'bullet' } }, { insert: 'b' }, { insert: '\n', attributes: { list: 'bullet' } }], '<ul><li>a</li><li>b</li></ul>'],
    [
      'nested lists of both kinds',
      [
        { insert: 'a' },
        { insert: '\n', attributes: { list: 'ordered' } },
        { insert: 'b' },
        { insert: '\n', attributes: { list: 'bullet', indent: 1 } },
        { insert: 'c' },
        { insert: '\n', attributes: { list: 'ordered' } },
      ],
      '<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>',
    ],
    [
      'an indent deeper than its list',
      [{ insert: 'a' }, { insert: '\n', attributes: { list: 'bullet', indent: 2 } }, { insert: 'b' }, { insert: '\n', attributes: { list: 'bullet' } }],
      '<ul><li class="ql-indent-2">a</li></ul><ul><li>b</li></ul>',
    ],
    [
      'quotations and their alignment',
      [{ insert: 'a' }, { insert: '\n', attributes: { blockquote: true } }, { insert: 'b' }, { insert: '\n', attributes: { blockquote: true, align: 'right' } }],
      '<blockquote><p>a</p><p class="ql-align-right">b</p></blockquote>',
    ],
    [
      'code keeps its spaces and empty lines',
      [
        { insert: '\n', attributes: { 'code-block': true } },
        { insert: '  if (a < b)' },
        { insert: '\n\n', attributes: { 'code-block': true } },
      ],
      '<pre><code>\n  if (a &lt; b)\n</code></pre>',
    ],
    ['pictures with alternative text', [{ insert: { image: '/a.png' }, attributes: { alt: 'A "red" bag' } }, { insert: '\n' }], '<p><img src="/a.png" alt="A &quot;red&quot; bag"></p>'],
    ['alignment and indent', [{ insert: 'a' }, { insert: '\n', attributes: { align: 'justify', indent: 3 } }], '<p class="ql-align-justify ql-indent-3">a</p>'],
    ['spaces', [{ insert: ' a  b   c \n' }], '<p>&nbsp;a&nbsp; b&nbsp;&nbsp; c&nbsp;</p>'],
    ['no-break spaces stay', [{ insert: 'one\u00a0word\n' }], '<p>one&nbsp;word</p>'],
    ['a line break inside a paragraph', [{ insert: 'one' }, { insert: { softbreak: true } }, { insert: 'two\n' }], '<p>one<br>two</p>'],
    ['line breaks at the edges', [{ insert: { softbreak: true } }, { insert: 'a' }, { insert: { softbreak: true } }, { insert: '\n' }], '<p><br>a<br><br></p>'],
    ['tables', [{ insert: 'a\n' }, { insert: { raw: '<table><tbody><tr><td>1</td></tr></tbody></table>' } }, { insert: '\n' }], '<p>a</p><table><tbody><tr><td>1</td></tr></tbody></table>'],
  ])('%s', (_title, ops, html) => {
    expect(toHtml(ops)).toBe(html)
    expect(sanitizeHtml(html)).toBe(html)
    expect(roundTrip(html)).toBe(html)
  })
})

describe('HTML from elsewhere is understood', () => {
  test.each([
    ['old tags', '<p><b>a</b> <i>b</i> <s>c</s></p>', '<p><strong>a</strong> <em>b</em> <span class="ql-strike">c</span></p>'],
    ['white space between and inside blocks', '\n<h2> Title\n</h2>\n<p>one\n   two </p>\n', '<h2>Title</h2><p>one two</p>'],
    ['text without any block', 'just <em>words</em>', '<p>just <em>words</em></p>'],
    ['a line break inside a paragraph', '<p>one <br> two</p>', '<p>one<br>two</p>'],
    ['a break that closes a paragraph', '<p>one<br></p>', '<p>one</p>'],
    ['blank paragraphs', '<p>a</p><p></p><p><br></p><p>b</p>', '<p>a</p><p><br></p><p><br></p><p>b</p>'],
    ['no-break spaces between all words', '<p>all&nbsp;words&nbsp;glued</p>', '<p>all&nbsp;words&nbsp;glued</p>'],
    ['paragraphs inside list items', '<ul><li><p>a</p></li><li><p>b</p><ol><li>c</li></ol></li></ul>', '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>'],
    ['a list inside a list without an item', '<ul><li>a</li><ul><li>b</li></ul></ul>', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
    ['an older code block', '<pre data-language="plain">\nx = 1\n\ny\n</pre>', '<pre><code>x = 1\n\ny</code></pre>'],
    ['a quotation without paragraphs', '<blockquote>said</blockquote>', '<blockquote><p>said</p></blockquote>'],
    ['divisions and unknown wrappers', '<section><div><p>a</p><div>b</div></div></section>', '<p>a</p><p>b</p>'],
    ['a picture from a file inside the text is left out', '<p>a<img src="data:image/png;base64,AAAA">b</p>', '<p>ab</p>'],
    ['a table between paragraphs', '<p>a</p><table><tr><th>x</th></tr></table><p>b</p>', '<p>a</p><table><tbody><tr><th>x</th></tr></tbody></table><p>b</p>'],
  ])('%s', (_title, html, expected) => {
    expect(roundTrip(html)).toBe(expected)
    expect(roundTrip(expected)).toBe(expected)
  })
})

/** Numbers that look random and are the same in every run. */
function generator(seed: number) {
  let state = seed
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  return { below, pick: <T,>(items: readonly T[]): T => items[below(items.length)] as T, chance: (percent: number) => below(100) < percent }
}

/** Any document that the toolbar can make. */
function randomDocument(seed: number): Op[] {
  const { below, pick, chance } = generator(seed)
  const words = ['waste', 'a', ' ', '  ', '   ', '<p>', '&amp;', '"quoted"', 'é–😀', 'sharps container', '.', ' x', 'y ', '\u2003']
  const marks = (): Attributes => ({
    ...(chance(25) && { bold: true }),
    ...(chance(25) && { italic: true }),
    ...(chance(15) && { underline: true }),
    ...(chance(15) && { strike: true }),
    ...(chance(15) && { link: pick(['https://osha.gov/a?b=1&c=2', '/quote', 'mailto:a@b.example', 'tel:+15085550142']) }),
  })
  const ops: Op[] = []
  const push = (insert: Op['insert'], attributes: Attributes) => {
    const last = ops.at(-1)
    if (typeof insert === 'string' && typeof last?.insert === 'string' && JSON.stringify(last.attributes ?? {}) === JSON.stringify(attributes)) last.insert += insert
    else ops.push(Object.keys(attributes).length > 0 ? { insert, attributes } : { insert })
  }
  for (let lines = 1 + below(12); lines > 0; lines -= 1) {
    const kind = pick(['text', 'text', 'header', 'bullet', 'bullet', 'ordered', 'ordered', 'quote', 'code', 'table'])
    if (kind === 'table') {
      push({ raw: `<table><tbody><tr><td>${below(9)}</td></tr></tbody></table>` }, {})
      continue
    }
    for (let parts = below(5); parts > 0; parts -= 1) {
      if (kind === 'code') push(pick(words), {})
      else if (chance(10)) {
        const alt = pick(['', 'A "red" bag'])
        push({ image: pick(['/a.png', 'https://images.example/b.jpg?x=1&y=2']) }, { ...(alt && { alt }), ...marks() })
      } else push(pick(words), marks())
    }
    const layout = { ...(chance(20) && { align: pick(['center', 'right', 'justify']) }), ...(chance(40) && { indent: 1 + below(8) }) }
    const own: Attributes = { text: {}, header: { header: 1 + below(6) }, bullet: { list: 'bullet' }, ordered: { list: 'ordered' }, quote: { blockquote: true }, code: { 'code-block': true } }[kind] ?? {}
    push('\n', { ...own, ...layout })
  }
  const last = ops.at(-1)
  if (typeof last?.insert !== 'string') push('\n', {})
  return ops
}

const withSpaces = (ops: Op[]) => JSON.parse(JSON.stringify(ops).replaceAll('\u00a0', ' ')) as Op[]

test('any document saved and opened again is unchanged and loses nothing to the allowlist', () => {
  for (let seed = 1; seed <= 80; seed += 1) {
    const ops = randomDocument(seed * 7919)
    const html = toHtml(ops)
    expect(sanitizeHtml(html)).toBe(html)
    expect(roundTrip(html)).toBe(html)
    // Spaces that would not show were written as such that do.
    if (html !== '') expect(withSpaces(fromHtml(html))).toEqual(withSpaces(ops))
  }
})
