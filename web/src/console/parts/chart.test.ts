import { expect, test } from 'vitest'
import { aligned } from './chart'

test('series of different minutes stand in one table of columns', () => {
  const calls = { name: 'Calls', points: [['2026-01-01T00:00:00Z', 2] as const, ['2026-01-01T00:01:00Z', 3] as const] }
  const errors = { name: 'Errors', points: [['2026-01-01T00:01:00Z', null] as const, ['2026-01-01T00:02:00Z', 1] as const] }
  const begin = Date.UTC(2026, 0, 1) / 1000
  expect(aligned([calls, errors], false)).toEqual([
    [begin, begin + 60, begin + 120],
    [2, 3, null],
    [null, null, 1],
  ])
})

test('a minute that is not told of was nothing, beside one that is', () => {
  const calls = { name: 'Calls', points: [['2026-01-01T00:01:00Z', 2] as const] }
  const begin = Date.UTC(2026, 0, 1) / 1000
  expect(aligned([calls], true)).toEqual([
    [begin, begin + 60, begin + 120],
    [0, 2, 0],
  ])
})
