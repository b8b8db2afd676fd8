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
