import { expect, test } from 'vitest'
import { nextOrder, operatorWords, operators, readFilters, readOperator, readOrder, tablePath, writeOperator, writeView } from './address'

test('what an address says comes back from it, whatever the names and values are', () => {
  const filters = [
    { column: 'a:b', op: 'eq', value: '1:2' },
    { column: 'naïve & co', op: 'in', value: '(a,"b,c")' },
    { column: 'empty', op: 'eq', value: '' },
  ]
  const order = [
    { column: 'x:desc', desc: false },
    { column: 'y', desc: true },
    { column: 'z', desc: true, nulls_first: false },
    { column: 'u', desc: false, nulls_first: true },
  ]
  const params = new URLSearchParams(writeView(new URLSearchParams('other=1'), { filters, order, as: 'anon' }).toString())
  expect(readFilters(params)).toEqual(filters)
  expect(readOrder(params)).toEqual(order)
  expect(params.get('as')).toBe('anon')
  expect(params.get('other')).toBe('1')
})

test('a click on a head sorts up, then down, then not at all', () => {
  const up = nextOrder([], 'a')
  const down = nextOrder(up, 'a')
  expect([up, down, nextOrder(down, 'a'), nextOrder(up, 'b')]).toEqual([[{ column: 'a', desc: false }], [{ column: 'a', desc: true }], [], [{ column: 'b', desc: false }]])
})

test('a table is addressed by its names, escaped', () => {
  expect(tablePath('public', 'a/b')).toBe('/tables/public/a%2Fb')
})

test.each(operators.flatMap(({ op }) => [op, `not.${op}`]).concat('like(any)', 'not.eq(all)', 'fts(english)'))('%s comes back from its parts', (text) => {
  expect(writeOperator(readOperator(text))).toBe(text)
  expect(operatorWords(text)).not.toContain('undefined')
})

test('what an operator does not take is left out', () => {
  expect(writeOperator({ not: false, op: 'in', modifier: 'any' })).toBe('in')
  expect(writeOperator({ not: true, op: 'eq', modifier: 'english' })).toBe('not.eq')
})
