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
  expect(dateTime('2026-03-04T12:00:00')).toBe('Mar 4, 2026, 12:00 PM')
})

test('every day and hour reads as the platform itself writes it', () => {
  const formatOf = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-US', options)
  const short = formatOf({ year: 'numeric', month: 'short', day: 'numeric' })
  const long = formatOf({ year: 'numeric', month: 'long', day: 'numeric' })
  const time = formatOf({ hour: 'numeric', minute: '2-digit' })
  // 59 hours apart: every month, day and hour comes, winter and summer, over leap years.
  for (let at = Date.UTC(1999, 11, 30); at < Date.UTC(2032, 2, 2); at += 59 * 3_600_000 + 61_000) {
    const stamp = new Date(at).toISOString()
    expect([shortDate(stamp), longDate(stamp), dateTime(stamp)]).toEqual([
      short.format(at),
      long.format(at),
      `${short.format(at)}, ${time.format(at).replace(/\s/u, ' ')}`,
    ])
  }
})

test('a time that JavaScript does not know stands as it is stored', () => {
  for (const stamp of ['infinity', '-infinity', '0044-03-15T12:00:00+00:00 BC', '294276-12-31T23:59:59+00:00']) {
    expect([shortDate(stamp), longDate(stamp), dateTime(stamp)]).toEqual([stamp, stamp, stamp])
  }
})
