import { expect, test } from 'vitest'
import { DEFAULT, cellCount, changes, edit, edited, noEdits, rowId, shownValue } from './edits'

const key = { id: '1' }

test('edits of one row are one update with the old values of what changed alone', () => {
  const edits = edit(edit(noEdits, key, 'name', 'a', 'b'), key, 'note', null, '')
  expect(changes(edits)).toEqual([{ kind: 'update', key, old: { name: 'a', note: null }, set: { name: 'b', note: '' } }])
  expect(cellCount(edits)).toBe(2)
})

test('an edit set back is no edit', () => {
  expect(edit(edit(noEdits, key, 'name', 'a', 'b'), key, 'name', 'b', 'a').size).toBe(0)
})

test('a second edit keeps the value that was read first', () => {
  const edits = edit(edit(noEdits, key, 'name', 'a', 'b'), key, 'name', 'b', 'c')
  expect(changes(edits)[0]?.old).toEqual({ name: 'a' })
})

test('an edit of the key goes to the row as it was loaded', () => {
  const edits = edit(edit(noEdits, key, 'id', '1', '2'), key, 'name', 'a', 'b')
  expect(changes(edits)).toEqual([{ kind: 'update', key, old: { id: '1', name: 'a' }, set: { id: '2', name: 'b' } }])
})

test('null, empty and not edited are three answers', () => {
  const edits = edit(edit(noEdits, key, 'a', 'x', null), key, 'b', 'x', '')
  expect([edited(edits, key, 'a'), edited(edits, key, 'b'), edited(edits, key, 'c')]).toEqual([null, '', undefined])
})

test('the order of the key columns names no other row', () => {
  expect(rowId({ a: '1', b: '2' })).toBe(rowId({ b: '2', a: '1' }))
})

test('a default is a fourth answer, and goes by its own name', () => {
  const edits = edit(edit(noEdits, key, 'a', 'x', DEFAULT), key, 'b', 'y', '')
  expect(changes(edits)).toEqual([{ kind: 'update', key, old: { a: 'x', b: 'y' }, set: { b: '' }, default: ['a'] }])
  expect(edited(edits, key, 'a')).toBe(DEFAULT)
  expect([DEFAULT, null, '', 'NULL'].map((value) => shownValue(value as never))).toEqual(['DEFAULT', 'NULL', 'EMPTY', 'NULL'])
})
