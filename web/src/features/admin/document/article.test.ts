import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Quill, formats, makeModules } from '../editor/quill-setup'
import { Article, modernHtml } from './article'
import type { Op } from './types'

// jsdom lays nothing out.
Range.prototype.getBoundingClientRect = () => document.body.getBoundingClientRect()

let quill: Quill
beforeAll(() => {
  const holder = document.createElement('div')
  document.body.append(holder)
  const nothing = () => undefined
  quill = new Quill(holder, { theme: 'snow', formats, modules: makeModules({ onFiles: nothing, onForeign: nothing, onImage: nothing, onTable: nothing }) })
})
afterAll(() => document.body.replaceChildren())

const opsOf = () => quill.getContents().ops as Op[]

function open(html: string): Article {
  const article = new Article(html)
  do quill.setContents({ ops: article.ops } as unknown as Parameters<typeof quill.setContents>[0], 'api')
  while (!article.adopt(opsOf()))
  return article
}

/** What is stored after the writer did something to the loaded article. */
function after(html: string, act: () => void): string {
  const article = open(html)
  act()
  return article.save(opsOf())
}
const type = (text: string, index = 0) => quill.insertText(index, text, 'user')

const LOADED: [string, string][] = [
  ['mail links', '<p><a href="mailto:a@b.example">a</a></p>'],
  ['relative links', '<p><a href="guide.pdf">a</a> <a href="?tag=x">b</a></p>'],
  ['relative pictures', '<p><img src="images/a.png" alt="x"></p>'],
  ['pictures of another host', '<p><img src="//cdn.example/a.png"></p>'],
  ['adjacent lists', '<ul><li>a</li></ul><ul><li>b</li></ul>'],
  ['adjacent quotations', '<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>'],
  ['adjacent code blocks', '<pre><code>a</code></pre><pre><code>b</code></pre>'],
  ['no-break spaces', '<p>10&nbsp;kg a&nbsp;&nbsp;b</p>'],
  ['no-break spaces as they are', '<p>10\u00a0kg a\u00a0\u00a0b</p><ul><li>\u00a0c</li></ul>'],
  ['comments', '<p>b<!-- c -->d</p><!-- e -->\n<ul><!-- f --><li>g</li></ul>'],
  ['bold in code', '<p><code>a<strong>b</strong></code></p><pre><code>x <strong>y</strong></code></pre>'],
  ['lists in tables', '<table><tbody><tr><td><ul><li>a</li><li>b</li></ul></td></tr></tbody></table>'],
  ['tabs', '<pre><code>\ta\tb</code></pre><p>a\tb</p>'],
  ['divisions', '<div class="ql-x">\n<p>a</p>\n<div><h2 id="b">b</h2></div> text <em>loose</em>\n</div>\n'],
  ['names, tooltips and classes', '<h2 id="on-a" title="t" class="ql-x ql-align-center">a</h2><p><span title="x">b</span><a id="c" title="d" href="/x">e</a></p>'],
  ['line breaks', '<p>a<br>b<br><br>c</p><ul><li>a<br>b</li></ul>'],
  ['white space between blocks', '\n\n<p>a</p>\n  <p>b</p>\n'],
  ['paragraphs in lists', '<ul><li><p>a</p><p>b</p></li></ul><ol><li><p>a</p><ul><li>b</li></ul></li></ol>'],
  ['headings in quotations', '<blockquote><h3>a</h3><ul><li>b</li></ul></blockquote>'],
  ['code with its first line empty', '<pre>\n\na</pre><pre><code>\na\n</code></pre>'],
  ['empty paragraphs', '<p></p><p><br></p><p> </p>'],
  ['marks in another order', '<p><em><strong>a</strong></em><strong><em>b</em></strong></p>'],
  ['text without blocks', 'just <em>words</em> and <img src="/a.png">'],
  ['text between blocks', '<p>a</p> b <strong>c</strong> <p>d</p>'],
  ['lists in lists without an item', '<ul><li>a</li><ul><li>b</li></ul></ul>'],
  ['signs', '<p>&lt;p&gt; &amp;amp; "q" \'s\' é–😀</p>'],
  ['pictures in links', '<p><a href="/q"><img src="/a.png" alt="" title="t" class="ql-x"></a></p>'],
  ['empty elements', '<ul></ul><p><strong></strong>a</p><div></div><table></table><a href="/x"></a>'],
]

describe.each(LOADED)('%s', (_title, html) => {
  const whole = `<p>Before</p>${html}<p>After</p>`

  test('stay to the letter when something else is written', () => {
    expect(after(whole, () => type('X '))).toBe(`<p>X Before</p>${html}<p>After</p>`)
    expect(after(whole, () => type(' X', quill.getLength() - 1))).toBe(`<p>Before</p>${html}<p>After X</p>`)
    expect(after(html, () => undefined)).toBe(html)
  })

  test('come back when the change is taken back', () => {
    expect(after(whole, () => { type('X'); quill.deleteText(0, 1, 'user') })).toBe(whole)
  })

  test('stay when the text around them is deleted', () => {
    // The white space behind a block goes with it.
    expect(after(whole, () => quill.deleteText(0, 7, 'user'))).toBe(`${html.trimStart()}<p>After</p>`)
  })
})

describe('a block that is written in', () => {
  test.each<[string, string, string]>([
    ['keeps its name', '<h2 id="on-a" title="t">Storage</h2>', '<h2 id="on-a" title="t">X Storage</h2>'],
    ['keeps its links', '<p>a <a href="guide.pdf">b</a></p>', '<p>X a <a href="guide.pdf">b</a></p>'],
    ['keeps its line breaks', '<p>a<br>b</p>', '<p>X a<br>b</p>'],
    ['leaves the list beside it alone', '<ul><li>a</li></ul><ul><li><p>b</p></li></ul>', '<ul><li>X a</li></ul><ul><li><p>b</p></li></ul>'],
    ['stays in its division', '<div class="ql-x"><p>a</p></div><p>b</p>', '<div class="ql-x"><p>X a</p></div><p>b</p>'],
  ])('%s', (_title, html, expected) => expect(after(html, () => type('X '))).toBe(expected))

  test('is two paragraphs after a line break at its end, the first to the letter', () => {
    expect(after('<p title="x">a</p>\n<p>b</p>', () => type('\nnew', 1))).toBe('<p title="x">a</p>\n<p>new</p><p>b</p>')
  })

  test('joins the list that it is made an item of', () => {
    expect(after('<p>a</p><ul><li>b</li></ul>', () => quill.formatLine(0, 1, 'list', 'bullet', 'user'))).toBe('<ul><li>a</li><li>b</li></ul>')
  })
})

test('a text with unclosed tags is kept in the form browsers read, and said to be', () => {
  const article = open('<p>a<p>b <em>c')
  expect(article.mended).toBe(true)
  type('X ')
  expect(article.save(opsOf())).toBe('<p>X a</p><p>b <em>c</em></p>')
})

test('older tags get their modern form, and nothing else is written anew', () => {
  expect(modernHtml('<p id=x>a</p>\n<p><b>b</b></p>')).toBe('<p id=x>a</p>\n<p><strong>b</strong></p>')
})

/** Numbers that look random and are the same in every run. */
function generator(seed: number) {
  let state = seed
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit
  return { below, pick: <T,>(items: readonly T[]): T => items[below(items.length)] as T, chance: (percent: number) => below(100) < percent }
}

/** Any document of the allowed elements, nested as HTML allows. */
function randomHtml(seed: number): string[] {
  const { below, pick, chance } = generator(seed)
  const attributes = () => (chance(12) ? pick([' id="on-x"', ' title="A &quot;t&quot;"', ' class="ql-align-center"', ' class="ql-x"', ' class="ql-indent-2"']) : '')
  const text = () => pick(['waste', 'a b', ' x', 'y ', '&nbsp;', '\u00a0', '<!-- c -->', '&amp;', '&lt;', '  ', '\n', 'é😀', '\t'])
  const inline = (depth: number): string => {
    if (depth === 0 || chance(45)) return text()
    const inner = () => Array.from({ length: below(3) }, () => inline(depth - 1)).join('')
    const tag = pick(['strong', 'em', 'u', 'code', 'span', 'a', 'br', 'img'])
    if (tag === 'br') return '<br>'
    if (tag === 'img') return `<img src="${pick(['/a.png', 'b.png', '//c.example/d', 'https://e.example/f'])}"${pick(['', ' alt=""', ' alt="x"', ' title="y"'])}>`
    if (tag === 'a') return `<a href="${pick(['mailto:a@b.example', 'x.pdf', '/q', 'https://osha.gov/', '#on-x', ''])}"${attributes()}>${text()}</a>`
    return `<${tag}${tag === 'span' && chance(50) ? ' class="ql-strike"' : attributes()}>${inner()}</${tag}>`
  }
  const words = () => Array.from({ length: below(4) }, () => inline(2)).join('')
  const list = (depth: number): string => {
    const tag = pick(['ul', 'ol'])
    const items = Array.from({ length: 1 + below(3) }, () => `<li${attributes()}>${chance(15) ? `<p>${words()}</p>` : words()}${depth > 0 && chance(30) ? list(depth - 1) : ''}</li>`)
    return `<${tag}${attributes()}>${items.join(pick(['', '\n']))}</${tag}>`
  }
  const block = (depth: number): string => {
    const tag = pick(['p', 'p', 'p', 'h1', 'h2', 'h6', 'list', 'list', 'blockquote', 'pre', 'table', 'div'])
    if (tag === 'list') return list(2)
    if (tag === 'pre') return `<pre${attributes()}>${pick(['<code>a\n b</code>', 'a\n', '\n\na', '<code>\na <strong>b</strong></code>', ''])}</pre>`
    if (tag === 'table') return `<table><thead><tr><th>${words()}</th></tr></thead><tbody><tr><td>${chance(50) ? list(1) : words()}</td></tr></tbody></table>`
    if (tag === 'blockquote' || tag === 'div') {
      const inner = depth > 0 && chance(70) ? Array.from({ length: 1 + below(3) }, () => block(depth - 1)).join(pick(['', '\n'])) : words()
      return `<${tag}${attributes()}>${inner}</${tag}>`
    }
    return `<${tag}${attributes()}>${words()}</${tag}>`
  }
  return Array.from({ length: 1 + below(7) }, () => block(2) + pick(['', '', '\n', ' \n\n ']))
}

const SEEDS = 30

test('whatever is loaded, what is written elsewhere changes no letter of it', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const blocks = randomHtml(seed * 7919)
    const [before, behind] = [blocks.slice(0, blocks.length / 2).join(''), blocks.slice(blocks.length / 2).join('')]
    const html = `${before}<p>Here</p>${behind}`
    const article = open(html)
    expect(article.mended, html).toBe(false)
    expect(article.save(opsOf()), html).toBe(html)
    const index = quill.getText().indexOf('Here') === -1 ? -1 : opsOf().reduce<{ at: number; found: number }>(({ at, found }, { insert }) => {
      const here = typeof insert === 'string' ? insert.indexOf('Here') : -1
      return { at: at + (typeof insert === 'string' ? insert.length : 1), found: here >= 0 && found < 0 ? at + here : found }
    }, { at: 0, found: -1 }).found
    quill.insertText(index + 4, ' written', 'user')
    expect(article.save(opsOf()), html).toBe(`${before}<p>Here written</p>${behind}`)
  }
}, 300_000)
