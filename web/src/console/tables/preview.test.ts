import { expect, test } from 'vitest'
import { guess, preview, readCsv, readObjects } from './preview'

test('quotes hold commas, quotes and ends of lines; an empty text is none that is missing', () => {
  expect(readCsv('\uFEFFa,b,c\r\n"x,""y""\nz","",\n1,2,3', 9, true)).toEqual([
    ['a', 'b', 'c'],
    ['x,"y"\nz', '', null],
    ['1', '2', '3'],
  ])
})

test('a line that is not whole yet is left out', () => {
  expect(readCsv('a,b\n1,2\n3,', 9, false)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
  expect(readCsv('a\n"never', 9, false)).toEqual([['a']])
  expect(readCsv('a,b\n3,', 9, true)).toEqual([
    ['a', 'b'],
    ['3', null],
  ])
})

test('objects of an array and of lines are read, as many as are whole', () => {
  expect(readObjects('[{"a": "}\\"{"}, {"b": {"c": [1, {}]}}, {"d"', 9)).toEqual([{ a: '}"{' }, { b: { c: [1, {}] } }])
  expect(readObjects('{"a": 1}\n{"a": 2}\n', 1)).toEqual([{ a: 1 }])
})

test('a preview names every column and shows what is in it', () => {
  expect(preview('[{"a": 1, "b": null}, {"c": {"d": [1]}, "a": "x"}]', 'json', true)).toEqual({
    columns: ['a', 'b', 'c'],
    rows: [
      ['1', null, null],
      ['x', null, '{"d":[1]}'],
    ],
  })
})

test('columns find their like by name, first to the letter, each once', () => {
  expect(guess(['ID', 'created-at', 'id', 'other', 'Id'], ['id', 'created_at', 'what'])).toEqual({ id: 'id', 'created-at': 'created_at' })
})
