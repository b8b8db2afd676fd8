import { expect, test } from 'vitest'
import { safeReturnTo } from './return-to'

const origin = 'https://site.example'

test.each([
  ['a path', '/admin/blog', '/admin/blog'],
  ['a path with query and fragment', '/insights?page=2#list', '/insights?page=2#list'],
  ['nothing', null, '/'],
  ['an empty text', '', '/'],
  ['another site', 'https://evil.example/', '/'],
  ['another site without its scheme', '//evil.example/', '/'],
  ['a backslash that browsers read as a slash', '/\\evil.example', '/'],
  ['a tab that browsers drop', '/\t/evil.example', '/'],
  ['a script', 'javascript:alert(1)', '/'],
  ['a relative path', 'admin/blog', '/'],
  ['an address that cannot be parsed', '//[', '/'],
  ['the sign-in page itself', '/auth?returnTo=%2Fauth', '/'],
  ['dots that lead back to the sign-in page', '/admin/../auth', '/'],
])('%s', (_title, value, expected) => {
  expect(safeReturnTo(value, origin)).toBe(expected)
})
