/** The editor's fields, and the rules for what of them is stored. */
import type { Row } from '@/lib/rows'
import { SITE_NAME } from '@/lib/seo'
import { slugOf } from '../text'

export type Post = Row<'blog_posts'>

export interface PostForm {
  title: string
  slug: string
  excerpt: string
  content: string
  metaTitle: string
  metaDescription: string
  published: boolean
  authorName: string
  /** As typed: may be empty or no number for a while. */
  readingTime: string
  featuredImageUrl: string
  /** When it appears, as the field for a local date and time has it; '' for at once. */
  publishAt: string
  tags: readonly string[]
}

const DEFAULT_READING_TIME = 5
const LONGEST_READING_TIME = 1000

export const emptyForm: PostForm = {
  title: '',
  slug: '',
  excerpt: '',
  content: '',
  metaTitle: '',
  metaDescription: '',
  published: false,
  authorName: SITE_NAME,
  readingTime: String(DEFAULT_READING_TIME),
  featuredImageUrl: '',
  publishAt: '',
  tags: [],
}

export type PostTexts = Omit<Post, 'id' | 'created_at' | 'updated_at' | 'published' | 'published_at' | 'publish_at'> & Partial<Pick<Post, 'publish_at'>>

/** The fields of a stored version, with `published` as it is now. */
export const formOf = (post: PostTexts, published: boolean): PostForm => ({
  title: post.title,
  slug: post.slug,
  excerpt: post.excerpt ?? '',
  content: post.content,
  metaTitle: post.meta_title ?? '',
  metaDescription: post.meta_description ?? '',
  published,
  authorName: post.author_name,
  readingTime: String(post.reading_time_minutes),
  featuredImageUrl: post.featured_image_url ?? '',
  publishAt: 'publish_at' in post && post.publish_at ? localTime(new Date(post.publish_at)) : '',
  tags: post.tags,
})

const two = (number: number) => String(number).padStart(2, '0')

/** A moment as a field for a local date and time has it. */
export const localTime = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`

/** The moment of the form's time, if it is still to come. */
export function scheduledFor({ publishAt }: Pick<PostForm, 'publishAt'>, now: Date): Date | null {
  const at = new Date(publishAt)
  return publishAt !== '' && at > now ? at : null
}

export const sameForm = (a: PostForm, b: PostForm) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort())

/** A new title; a new post's slug follows it until it is edited by hand. */
export function withTitle(form: PostForm, title: string, isNew: boolean): PostForm {
  const follows = isNew && form.slug === slugOf(form.title)
  return { ...form, title, slug: follows ? slugOf(title) : form.slug }
}

/** The tags with one more, unless it is blank or there already. */
export function withTag(tags: readonly string[], typed: string): readonly string[] {
  const tag = typed.trim()
  return tag === '' || tags.includes(tag) ? tags : [...tags, tag]
}

/** Whole minutes; anything that is none falls back to the default. */
export function readingTimeOf(typed: string): number {
  const minutes = Number.parseInt(typed, 10)
  return Number.isNaN(minutes) || minutes < 1 ? DEFAULT_READING_TIME : Math.min(minutes, LONGEST_READING_TIME)
}

const orNull = (text: string) => text.trim() || null

/**
 * What is stored. Publishing forces the flag; without it the flag stays as it is. A post that is published after
 * the save was published at this moment, and a draft never was.
 */
export function payloadOf(form: PostForm, publish: boolean, now: Date) {
  const published = publish || form.published
  const title = form.title.trim()
  const later = published ? scheduledFor(form, now) : null
  return {
    title,
    slug: form.slug.trim() || slugOf(title),
    excerpt: orNull(form.excerpt),
    content: form.content,
    meta_title: orNull(form.metaTitle),
    meta_description: orNull(form.metaDescription),
    featured_image_url: orNull(form.featuredImageUrl),
    author_name: form.authorName.trim() || SITE_NAME,
    tags: [...form.tags],
    published,
    reading_time_minutes: readingTimeOf(form.readingTime),
    published_at: published ? (later ?? now).toISOString() : null,
    ...(later && { publish_at: later.toISOString() }),
  }
}

export type PostPayload = ReturnType<typeof payloadOf>

/** What the editor says after a save. */
export function savedMessage(isNew: boolean, publish: boolean): string {
  if (isNew) return publish ? 'Post created and published' : 'Post created successfully'
  return publish ? 'Post published successfully' : 'Post updated successfully'
}

export type FieldErrors = Partial<Record<keyof PostForm, string>>

/** Constraints of the table, by the field whose value broke them. */
const CONSTRAINTS: Record<string, [keyof PostForm, string]> = {
  blog_posts_slug_key: ['slug', 'Another post has this slug already.'],
  blog_posts_slug_check: ['slug', 'Use letters, digits and hyphens; no spaces, slashes or question marks.'],
  blog_posts_slug_reachable_check: ['slug', 'A slug of dots alone can never be reached.'],
  blog_posts_featured_image_url_secure_check: ['featuredImageUrl', 'Start with https://: pictures from http:// addresses are not shown.'],
  blog_posts_title_check: ['title', 'Use at most 300 characters.'],
  blog_posts_excerpt_check: ['excerpt', 'Use at most 2000 characters.'],
  blog_posts_content_check: ['content', 'The article is too long to be stored.'],
  blog_posts_featured_image_url_check: ['featuredImageUrl', 'Start with https://, or with / for a picture of this site.'],
  blog_posts_author_name_check: ['authorName', 'Use at most 200 characters.'],
  blog_posts_tags_check: ['tags', 'Use at most 50 tags of at most 60 characters.'],
  blog_posts_meta_title_check: ['metaTitle', 'Use at most 500 characters.'],
  blog_posts_meta_description_check: ['metaDescription', 'Use at most 2000 characters.'],
}

/** Which field a refused save is about, if the server's message says so. */
export function fieldErrorsOf(message: string): FieldErrors {
  const found = Object.entries(CONSTRAINTS).find(([constraint]) => message.includes(`"${constraint}"`))
  return found ? { [found[1][0]]: found[1][1] } : {}
}
