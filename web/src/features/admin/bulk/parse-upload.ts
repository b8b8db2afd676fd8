/** The text of a bulk upload as rows to insert. */
import { SITE_NAME } from '@/lib/seo'
import type { Insert } from '@/lib/rows'
import { sanitizeHtml, textOf } from '@/lib/html'
import { uuid } from '@/lib/uuid'
import { excerptOf, readingMinutes, slugOf } from '../text'

export type PostInsert = Insert<'blog_posts'>

const META_DESCRIPTION_LENGTH = 160

/** The entries of the text; throws an Error whose message is for the writer. */
export function parseUpload(text: string): unknown[] {
  if (text.trim() === '') throw new Error('Please provide JSON data to upload')
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw new Error('Invalid JSON format. Please check your data structure.')
  }
  if (!Array.isArray(data)) throw new Error('JSON data must be an array of blog post objects.')
  return data
}

const textIn = (entry: unknown, name: string): string => {
  const value = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value.trim() : ''
}

/** The title for messages about the entry. */
export const titleOf = (entry: unknown) => textIn(entry, 'title') || 'Untitled'

function tagsOf(entry: unknown): string[] {
  const tags = (entry as { tags?: unknown }).tags
  const texts = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
  return [...new Set(texts.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
}

/** Plain text has no markup that would keep its paragraphs apart. */
function asHtml(content: string): string {
  if (/<[a-z][^>]*>/i.test(content)) return content
  const escaped = content.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char] ?? char)
  return escaped
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${paragraph.trim().replace(/\n/g, '<br>')}</p>`)
    .join('')
}

/** An entry as a draft; throws an Error that names the entry by its number, counted from 1. */
export function toInsert(entry: unknown, number: number): PostInsert {
  const title = textIn(entry, 'title')
  const content = textIn(entry, 'content')
  if (title === '' || content === '') throw new Error(`Post ${number}: Title and content are required`)
  // The server drops tags outside of the allowlist; here the older ones among them still get their modern form.
  const html = sanitizeHtml(asHtml(content))
  const words = textOf(html)
  const excerpt = textIn(entry, 'excerpt')
  return {
    // Chosen here, so that an insert whose answer was lost can be repeated without a second post.
    id: uuid(),
    title,
    // A title without a single usable letter still needs an address.
    slug: slugOf(title) || String(Date.now()),
    content: html,
    excerpt: excerpt || excerptOf(words),
    author_name: textIn(entry, 'author_name') || SITE_NAME,
    tags: tagsOf(entry),
    reading_time_minutes: readingMinutes(words),
    meta_title: textIn(entry, 'meta_title') || title,
    meta_description: textIn(entry, 'meta_description') || excerpt || words.slice(0, META_DESCRIPTION_LENGTH),
    published: false,
  }
}
