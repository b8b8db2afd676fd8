/** What is derived from what a writer typed. */

const WORDS_PER_MINUTE = 200
const EXCERPT_LENGTH = 200

/**
 * The last part of an article's address: 'OSHA & You: 10 Rules' → 'osha-you-10-rules'.
 * Letters with marks lose the mark, everything but letters, digits, spaces and hyphens goes.
 */
export function slugOf(title: string): string {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-')
    .replace(/-+/g, '-')
}

/** Minutes to read a text, at least one. */
export function readingMinutes(text: string): number {
  const words = text.split(/\s+/).filter(Boolean).length
  return Math.max(1, Math.ceil(words / WORDS_PER_MINUTE))
}

/** The beginning of a text as its excerpt. */
export const excerptOf = (text: string) => `${text.slice(0, EXCERPT_LENGTH)}...`

/** Groups of vowels, a silent e at the end aside: close enough to syllables for a measure of whole texts. */
const syllablesOf = (word: string) => Math.max(1, (word.toLowerCase().replace(/e$/, '').match(/[aeiouy]+/g) ?? []).length)

const GRADES: readonly [number, string][] = [
  [70, 'Easily'],
  [50, 'Fairly well'],
  [30, 'With effort'],
  [Number.NEGATIVE_INFINITY, 'Hard'],
]

export interface Measure {
  words: number
  minutes: number
  /** How it reads, by Flesch's formula of words per sentence and syllables per word. */
  grade: string
}

export function measure(text: string): Measure {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
  if (words.length < 20) return { words: words.length, minutes: readingMinutes(text), grade: 'Too short to say' }
  const sentences = Math.max(1, (text.match(/[.!?]+(?=\s|$)/g) ?? []).length)
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0)
  const ease = 206.835 - 1.015 * (words.length / sentences) - 84.6 * (syllables / words.length)
  const [, grade] = GRADES.find(([least]) => ease >= least) ?? [0, 'Hard']
  return { words: words.length, minutes: readingMinutes(text), grade: `${grade} (${Math.round(Math.min(100, Math.max(0, ease)))} of 100)` }
}
