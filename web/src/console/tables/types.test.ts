import { expect, test } from 'vitest'
import { editorOf, fault } from './types'

test.each([
  ['boolean', 'boolean'],
  ['jsonb', 'json'],
  ['text[]', 'array'],
  ['numeric(10,2)', 'number'],
  ['timestamp with time zone', 'time'],
  ['date', 'date'],
  ['character varying(20)', 'long'],
  ['uuid', 'line'],
])('a column of %s is typed in as %s', (type, editor) => {
  expect(editorOf({ type, enum: null })).toBe(editor)
})

test('an enum is chosen', () => {
  expect(editorOf({ type: 'mood', enum: ['sad'] })).toBe('enum')
})

test.each([
  ['json', '{"a":', true],
  ['json', '[1]', false],
  ['number', '12345678901234567890.5', false],
  ['number', 'NaN', false],
  ['number', '1,5', true],
  ['array', '{a,"b, c"}', false],
  ['array', 'a,b', true],
  ['time', 'infinity', false],
] as const)('%s: %s', (kind, text, wrong) => {
  expect(fault(kind, text) !== undefined).toBe(wrong)
})
