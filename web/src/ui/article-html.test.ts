import { expect, test } from 'vitest'
import { forbiddenMarkup } from '@/testing/forbidden-markup'
import vectors from '@/testing/xss-vectors.json'
import { articleHtml } from './article-html'

/** What setting an article for reading adds of its own. */
const ADDED = ['aria-label', 'tabindex', 'role', 'loading']

test.each(vectors.map((vector) => [JSON.stringify(vector).slice(0, 80), vector]))('hostile HTML set for reading can do nothing: %s', (_title, vector) => {
  expect(forbiddenMarkup(articleHtml(vector), ADDED)).toEqual([])
})

test('headings can be linked to, by unique names that no id of the page has', () => {
  const html = articleHtml('<h2>What is “sharps”?</h2><h2>What is sharps?</h2><h3>Main</h3><h2 id="own">Own</h2><h2></h2>')
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  expect([...body.querySelectorAll('h2, h3')].map(({ id }) => id)).toEqual(['on-what-is-sharps', 'on-what-is-sharps-2', 'on-main', 'on-own', ''])
  expect(body.querySelector('h3 a')?.getAttribute('href')).toBe('#on-main')
  expect(body.querySelector('h3 a')?.getAttribute('aria-label')).toBe('Link to section "Main"')
})

test('an article takes over no id of the page, and its own links still lead to its sections', () => {
  const { body } = new DOMParser().parseFromString(articleHtml('<p id="post-data">x</p><p><a href="#post-data">y</a><a href="#">z</a></p>'), 'text/html')
  expect(body.querySelector('p')?.id).toBe('on-post-data')
  expect([...body.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['#on-post-data', '#'])
  expect(articleHtml(body.innerHTML)).toBe(body.innerHTML)
})

test('a table scrolls by itself and a picture always has alternative text', () => {
  const { body } = new DOMParser().parseFromString(articleHtml('<table><tbody><tr><td>1</td></tr></tbody></table><p><img src="/a.png"></p>'), 'text/html')
  expect(body.querySelector('.table-scroll > table')).not.toBeNull()
  expect(body.querySelector('img')?.getAttribute('alt')).toBe('')
})
