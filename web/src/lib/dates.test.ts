import { expect, test } from 'vitest'
import { dateTime, longDate, shortDate } from './dates'

// Without a zone a timestamp is in the reader's own, whatever that is here.
const afternoon = '2026-03-04T14:05:00'

test('lists show MMM d, yyyy and articles MMMM d, yyyy', () => {
  expect([shortDate(afternoon), longDate(afternoon)]).toEqual(['Mar 4, 2026', 'March 4, 2026'])
  expect([shortDate('2025-09-30T00:00:00'), longDate('2025-12-01T23:59:59')]).toEqual(['Sep 30, 2025', 'December 1, 2025'])
})

test('a time of day has plain spaces and no leading zero', () => {
  expect(dateTime(afternoon)).toBe('Mar 4, 2026, 2:05 PM')
  expect(dateTime('2026-03-04T00:30:00')).toBe('Mar 4, 2026, 12:30 AM')
})
