import { expect, test } from 'vitest'
import { toCsv } from './csv'

test('cells that a spreadsheet would run become texts', () => {
  const rows = ['=1+1', '+15085550142', '-2', '@SUM(A1)', '\t=1', '\r=1', 'a=1', ''].map((value) => ({ value }))
  expect(toCsv(['value'], rows)).toBe(
    "\ufeffvalue\r\n'=1+1\r\n'+15085550142\r\n'-2\r\n'@SUM(A1)\r\n'\t=1\r\n\"'\r=1\"\r\na=1\r\n\r\n",
  )
})

test('quotes, commas and line breaks stay inside their cell', () => {
  expect(toCsv(['a', 'b', 'c', 'd'], [{ a: 'say "hi"', b: 'x, y', c: 'one\ntwo', d: null }])).toBe('\ufeffa,b,c,d\r\n"say ""hi""","x, y","one\ntwo",\r\n')
})

test('lists are joined', () => {
  expect(toCsv(['services'], [{ services: ['sharps', 'training'] }])).toBe('\ufeffservices\r\n"sharps, training"\r\n')
})
