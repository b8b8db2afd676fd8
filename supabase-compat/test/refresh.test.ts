import { describe, expect, test } from 'vitest'
import { backOff, clockSkew, isDue, isExpired, isExpiring, mayRetry } from '../src/auth/refresh.js'

const NOW = 1_800_000_000_000
const inSeconds = (seconds: number) => NOW / 1000 + seconds

describe('when a session is renewed', () => {
  test.each([
    ['91 s before the end it is used as it is', 91, false],
    ['at exactly 90 s it is used as it is', 90, false],
    ['89 s before the end it is renewed', 89, true],
    ['after the end it is renewed', -1, true],
  ])('%s', (_title, seconds, expected) => {
    expect(isExpiring(inSeconds(seconds), NOW)).toBe(expected)
  })

  test('a session without an end is never about to end', () => {
    expect(isExpiring(undefined, NOW)).toBe(false)
  })

  test.each([
    ['two minutes before the end the ticker acts', 119, true],
    ['from two minutes on it waits', 120, false],
    ['after the end it acts', -60, true],
  ])('%s', (_title, seconds, expected) => {
    expect(isDue(inSeconds(seconds), NOW)).toBe(expected)
  })

  test.each([
    ['a token has run out at its very end', inSeconds(0), true],
    ['a token works until its end', inSeconds(1), false],
    ['a token of unknown end counts as run out', undefined, true],
  ])('%s', (_title, end, expected) => {
    expect(isExpired(end, NOW)).toBe(expected)
  })
})

describe('how often a renewal is tried', () => {
  test('waits double from 200 ms', () => {
    expect([1, 2, 3, 4].map(backOff)).toEqual([200, 400, 800, 1600])
  })

  test('an attempt must begin within 30 s of the first', () => {
    expect(mayRetry(1, NOW, NOW + 29_799)).toBe(true)
    expect(mayRetry(1, NOW, NOW + 29_800)).toBe(false)
  })
})

describe('what a fresh token tells of this clock', () => {
  test.each([
    ['a clock an hour ahead', -3600, 3_600_000],
    ['a clock an hour behind', 3600, -3_600_000],
    ['a slow answer is no skew', -10, 0],
  ])('%s', (_title, seconds, expected) => {
    expect(clockSkew(inSeconds(seconds), NOW)).toBe(expected)
  })

  test('a token without its time tells nothing', () => {
    expect(clockSkew(undefined, NOW)).toBe(0)
  })
})
