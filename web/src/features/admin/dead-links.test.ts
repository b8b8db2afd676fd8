import { expect, test } from 'vitest'
import { deadLinksOf } from './dead-links'

const post = (slug: string, content: string, published = true) => ({ id: slug, title: slug, slug, published, content })
const check = (content: string) =>
  deadLinksOf([post('here', content), post('there', ''), post('draft', '', false)], ['/', '/quote', '/blog/:slug'], new Set(['before']), 'https://site.example').map(({ href }) => href)

test.each([
  ['pages, articles, old addresses and other sites', '<a href="/quote">a</a><a href="/insights/there">b</a><a href="/insights/before">c</a><a href="https://osha.gov/x">d</a><a href="mailto:a@b.example">e</a><a href="/blog/x">f</a>'],
  ['a section that is there', '<h2 id="on-a">a</h2><a href="#on-a">b</a>'],
  ['a relative address of an article', '<a href="there">a</a>'],
])('%s are no dead links', (_title, content) => expect(check(content)).toEqual([]))

test.each([
  ['a page that is none', '/qoute'],
  ['an article that is none', '/insights/nobody'],
  ['a draft', '/insights/draft'],
  ['a section that is none', '#on-b'],
  ['a file beside the article', 'guide.pdf'],
])('%s is one', (_title, href) => expect(check(`<p><a href="${href}">x</a></p>`)).toEqual([href]))
