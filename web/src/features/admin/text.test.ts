import { describe, expect, test } from 'vitest'
import { excerptOf, readingMinutes, slugOf, measure } from './text'

describe('slug', () => {
  test.each([
    ['words', 'Medical Waste Basics', 'medical-waste-basics'],
    ['signs', 'OSHA & You: 10 Rules!', 'osha-you-10-rules'],
    ['runs of space', '  a \t b\n c  ', 'a-b-c'],
    ['hyphens', 'Sharps -- at - home', 'sharps-at-home'],
    ['letters with marks', 'Café Résumé', 'cafe-resume'],
    ['a sign at the end', 'Ready?', 'ready'],
    ['nothing to use', '!!!', ''],
    ['an apostrophe', "Don't", 'dont'],
    ['underscores and dots', 'v1.2_final', 'v12final'],
  ])('%s', (_title, title, slug) => expect(slugOf(title)).toBe(slug))
})

test.each([
  [0, 1],
  [1, 1],
  [200, 1],
  [201, 2],
  [1000, 5],
  [1001, 6],
])('%i words take %i minutes', (words, minutes) => {
  expect(readingMinutes(Array(words).fill('word').join(' '))).toBe(minutes)
})

test('an excerpt is the first 200 characters and three dots', () => {
  expect(excerptOf('x'.repeat(500))).toBe(`${'x'.repeat(200)}...`)
  expect(excerptOf('short')).toBe('short...')
})

test('a text is measured by its words, sentences and syllables', () => {
  const easy = 'The red bag is for red bag waste. Do not put a coat in the red bag. The box is for the needle and the blade.'
  const hard = 'Regulatory classification of pharmaceutical formulations necessitates documentation of characteristics, concentrations and accumulation thresholds notwithstanding organizational responsibilities enumerated elsewhere throughout applicable administrative requirements.'
  expect(measure(easy)).toMatchObject({ words: 26, minutes: 1 })
  expect(measure(easy).grade).toMatch(/^Easily/)
  expect(measure(hard).grade).toMatch(/^Hard/)
  expect(measure('One two three.').grade).toBe('Too short to say')
})
