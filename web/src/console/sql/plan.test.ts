import { expect, test } from 'vitest'
import { placeOf } from './sql-page'
import { namespace } from './editor'
import { ownShare, rootOf } from './plan'
import { toCsv } from './results'

test('a node takes what its children do not', () => {
  const child = { 'Node Type': 'Seq Scan', 'Actual Total Time': 3, 'Actual Loops': 2 }
  expect(ownShare({ 'Node Type': 'Nested Loop', 'Actual Total Time': 10, 'Actual Loops': 1, Plans: [child] })).toBe(4)
})

test('the plan is the first of the answer', () => {
  expect(rootOf([{ Plan: { 'Node Type': 'Result' }, 'Execution Time': 1 }])?.execution).toBe(1)
  expect(rootOf([])).toBeNull()
})

test('null and an empty text stay apart in CSV', () => {
  const result = { columns: [{ name: 'a', type: 'text' }, { name: 'b,c', type: 'text' }, { name: 'd', type: 'text' }], rows: [[null, '', 'say "x"']], command: 'SELECT 1', truncated: false }
  expect(toCsv(result)).toBe('a,"b,c",d\r\n,"","say ""x"""')
})

test('the editor completes schemas, tables and columns', () => {
  const column = { name: 'id', type: 'int', nullable: false, default: null, identity: null, generated: null, enum: null, comment: null }
  const table = { schema: 's', name: 't', kind: 'table', comment: null, estimate: 0, bytes: 0, rls: true, forced: false, columns: [column], primary_key: [], foreign_keys: [], referenced_by: [], indexes: [], policies: [], triggers: [] }
  expect(namespace({ version: '', schemas: [], tables: [table], functions: [], enums: [], extensions: [], publications: [], roles: [] })).toEqual({ s: { t: ['id'] } })
})

test.each([
  [1, 'line 1, column 1'],
  [4, 'line 1, column 4'],
  [5, 'line 2, column 1'],
  [7, 'line 2, column 3'],
])('character %i of a text is at %s', (at, place) => {
  expect(placeOf('abc\nde', at)).toBe(place)
})
