import { expect, test } from 'vitest'
import { dataOf } from './results'

const failed = (status: number, error: { message: string; code?: string }) => () => dataOf({ data: null, error, status })

test('the words of the table API are handed on, those of anything between are not', () => {
  expect(failed(400, { message: 'value is not allowed', code: '23514' })).toThrow('value is not allowed')
  expect(failed(0, { message: 'TypeError: Failed to fetch', code: '' })).toThrow('Failed to fetch')
  expect(failed(502, { message: '<html>Bad gateway</html>' })).toThrow(/^$/)
})
