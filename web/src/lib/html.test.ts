import { describe, expect, test } from 'vitest'
import { forbiddenMarkup } from '@/testing/forbidden-markup'
import vectors from '@/testing/xss-vectors.json'
import { droppedFrom, sanitizeHtml, textOf } from './html'

describe('hostile HTML can do nothing', () => {
  test('the corpus is large', () => expect(vectors.length).toBeGreaterThanOrEqual(150))

  test.each(vectors.map((vector) => [JSON.stringify(vector).slice(0, 80), vector]))('%s', (_title, vector) => {
    const safe = sanitizeHtml(vector)
    expect(forbiddenMarkup(safe)).toEqual([])
    // A second parse must not wake anything, and a second pass must find nothing more to do.
    const reparsed = new DOMParser().parseFromString(safe, 'text/html').body.innerHTML
    expect(forbiddenMarkup(reparsed)).toEqual([])
    expect(sanitizeHtml(reparsed)).toBe(reparsed)
  })

  test('the checker itself sees what is not allowed', () => {
    expect(forbiddenMarkup('<p onclick="x">a</p><script></script><a href="javascript:x">b</a><a href="//x" target="_blank">c</a>')).toHaveLength(4)
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

test('the words of HTML keep their distance', () => {
  expect(textOf('<h2>One</h2><p>two<br>three <strong>fo</strong>ur</p><ul><li>five</li><li>six</li></ul>')).toBe('One two three four five six')
})

test('what the server will drop is named', () => {
  expect(droppedFrom('<p>a <b>b</b> <img src="a.png"></p><ul><li>c</li></ul><table><tbody><tr><td>d</td></tr></tbody></table>')).toEqual([])
  expect(droppedFrom('<figure><img src="https://a.example/p.png"><figcaption>x</figcaption></figure><hr><ol start="3"><li>a</li></ol>')).toEqual(['<figure>', '<figcaption>', '<hr>', 'start of <ol>'])
  expect(droppedFrom('<p><img src="data:image/png;base64,AA=="></p><iframe src="https://a.example"></iframe>')).toEqual(['pictures that are not addresses', '<iframe>'])
  expect(droppedFrom('<p>a<!-- to do --></p>')).toEqual(['comments'])
  expect(droppedFrom('<!-- to do --><p>10\u00a0kg &lt;!-- x --&gt;</p>')).toEqual(['comments'])
})
