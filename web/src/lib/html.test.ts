import { describe, expect, test } from 'vitest'
import vectors from '@/testing/xss-vectors.json'
import { articleHtml } from '@/ui/article-html'
import { sanitizeHtml, textOf } from './html'

const TAGS = new Set('P H1 H2 H3 H4 H5 H6 STRONG EM U A UL OL LI BLOCKQUOTE CODE PRE IMG BR DIV SPAN TABLE THEAD TBODY TR TH TD'.split(' '))
const ATTRIBUTES = new Set(['href', 'src', 'alt', 'title', 'class', 'id', 'target', 'rel'])
/** What setting an article for reading adds of its own. */
const ADDED = new Set([...ATTRIBUTES, 'aria-label', 'tabindex', 'role', 'loading'])

/** Everything in the parsed HTML that is not on the list; empty for HTML that can do nothing. */
function offences(html: string, attributes = ATTRIBUTES): string[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.querySelectorAll('*')].flatMap((element) => {
    const found = [...element.attributes].filter(({ name, value }) => {
      if (!attributes.has(name)) return true
      if (name === 'href') return !/^(?:https?:|mailto:|tel:)/.test((element as HTMLAnchorElement).protocol) && value !== ''
      if (name === 'src') return !/^https?:/.test(new URL(value, 'https://site.example').protocol)
      return name === 'target' && !(value === '_blank' && element.getAttribute('rel') === 'noopener noreferrer')
    })
    return [...(TAGS.has(element.tagName) ? [] : [element.tagName]), ...found.map(({ name, value }) => `${name}=${value}`)]
  })
}

describe('hostile HTML can do nothing', () => {
  test('the corpus is large', () => expect(vectors.length).toBeGreaterThanOrEqual(150))

  test.each(vectors.map((vector) => [JSON.stringify(vector).slice(0, 80), vector]))('%s', (_title, vector) => {
    const safe = sanitizeHtml(vector)
    expect(offences(safe)).toEqual([])
    // A second parse must not wake anything, and a second pass must find nothing more to do.
    const reparsed = new DOMParser().parseFromString(safe, 'text/html').body.innerHTML
    expect(offences(reparsed)).toEqual([])
    expect(sanitizeHtml(reparsed)).toBe(reparsed)
    expect(offences(articleHtml(vector), ADDED)).toEqual([])
  })

  test('the checker itself sees what is not allowed', () => {
    expect(offences('<p onclick="x">a</p><script></script><a href="javascript:x">b</a><a href="//x" target="_blank">c</a>')).toHaveLength(4)
  })
})

test.each([
  ['a link out of the site opens beside it', '<a href="https://osha.gov">x</a>', '<a href="https://osha.gov" target="_blank" rel="noopener noreferrer">x</a>'],
  ['a link inside the site stays in it', '<a href="/quote" target="_blank" rel="opener">x</a>', '<a href="/quote">x</a>'],
  ['mail and telephone links', '<a href="mailto:a@b.example">m</a><a href="tel:+15085550142">t</a>', '<a href="mailto:a@b.example">m</a><a href="tel:+15085550142">t</a>'],
  ['the editor’s classes stay, others go', '<p class="ql-align-center hidden">x</p>', '<p class="ql-align-center">x</p>'],
  ['old tags get their modern form', '<b>a</b> <i>b</i> <s>c</s>', '<strong>a</strong> <em>b</em> <span class="ql-strike">c</span>'],
  ['a picture keeps address and alternative text', '<img src="/a.png" alt="Red bag" width="9">', '<img src="/a.png" alt="Red bag">'],
  ['unknown tags leave their words', '<article><figure>words</figure></article>', 'words'],
  ['an article’s own ids stay', '<h2 id="storage">x</h2>', '<h2 id="storage">x</h2>'],
])('%s', (_title, html, expected) => {
  expect(sanitizeHtml(html)).toBe(expected)
})

test('headings can be linked to, by unique names that no id of the page has', () => {
  const html = articleHtml('<h2>What is “sharps”?</h2><h2>What is sharps?</h2><h3>Main</h3><h2 id="own">Own</h2><h2></h2>')
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  expect([...body.querySelectorAll('h2, h3')].map(({ id }) => id)).toEqual(['on-what-is-sharps', 'on-what-is-sharps-2', 'on-main', 'own', ''])
  expect(body.querySelector('h3 a')?.getAttribute('href')).toBe('#on-main')
  expect(body.querySelector('h3 a')?.getAttribute('aria-label')).toBe('Link to section "Main"')
})

test('a table scrolls by itself and a picture always has alternative text', () => {
  const { body } = new DOMParser().parseFromString(articleHtml('<table><tbody><tr><td>1</td></tr></tbody></table><p><img src="/a.png"></p>'), 'text/html')
  expect(body.querySelector('.table-scroll > table')).not.toBeNull()
  expect(body.querySelector('img')?.getAttribute('alt')).toBe('')
})

test('the words of HTML keep their distance', () => {
  expect(textOf('<h2>One</h2><p>two<br>three <strong>fo</strong>ur</p><ul><li>five</li><li>six</li></ul>')).toBe('One two three four five six')
})
