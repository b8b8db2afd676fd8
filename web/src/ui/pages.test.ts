import { expect, test } from 'vitest'
import { pageItems } from './pages'

test.each([
  ['a single page', 1, 1, [1]],
  ['a gap only where the second-next page would be', 1, 9, [1, 2, 'gap', 9]],
  ['gaps on both sides', 5, 9, [1, 'gap', 4, 5, 6, 'gap', 9]],
  ['no gap beside the first page', 2, 5, [1, 2, 3, 'gap', 5]],
  ['the last page', 9, 9, [1, 'gap', 8, 9]],
  ['no pages at all', 1, 0, []],
] as const)('%s', (_title, current, last, expected) => {
  expect(pageItems(current, last)).toEqual(expected)
})
