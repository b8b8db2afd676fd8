/** Which posts the list shows, and the figures above it. */
import type { PostRow } from '../api/list-posts'

export const PAGE_SIZE = 25
const WEEK_MS = 7 * 24 * 60 * 60 * 1000

export type Status = 'all' | 'published' | 'drafts' | 'recent'

export const statusOptions: readonly { value: Status; label: string }[] = [
  { value: 'all', label: 'All Posts' },
  { value: 'published', label: 'Published' },
  { value: 'drafts', label: 'Drafts' },
  { value: 'recent', label: 'Recent (7 days)' },
]

/** By what the list is sorted; a minus puts the greatest first. */
export const sortings = ['-created', 'created', 'title', '-title', 'author', '-author', 'published', '-published'] as const
export type Sorting = (typeof sortings)[number]
export const DEFAULT_SORTING: Sorting = '-created'

export interface PostListState {
  search: string
  status: Status
  sort: Sorting
  page: number
}

export function parsePostListState(params: URLSearchParams): PostListState {
  const status = statusOptions.find(({ value }) => value === params.get('status'))?.value ?? 'all'
  const page = Number(params.get('page') ?? 1)
  const sort = sortings.find((name) => name === params.get('sort')) ?? DEFAULT_SORTING
  return { search: params.get('search') ?? '', status, sort, page: Number.isSafeInteger(page) && page > 0 ? page : 1 }
}

export function postListQuery({ search, status, sort, page }: PostListState): string {
  const params = new URLSearchParams()
  if (search !== '') params.set('search', search)
  if (status !== 'all') params.set('status', status)
  if (sort !== DEFAULT_SORTING) params.set('sort', sort)
  if (page > 1) params.set('page', String(page))
  return params.toString()
}

const within = (timestamp: string | null, since: number) => timestamp !== null && Date.parse(timestamp) >= since

/** Posts of a status whose title or author contains the words, whatever their case. */
export function filterPosts(posts: readonly PostRow[], { search, status }: Pick<PostListState, 'search' | 'status'>, now = Date.now()): PostRow[] {
  const words = search.trim().toLowerCase()
  const since = now - WEEK_MS
  return posts.filter((post) => {
    if (status === 'published' && !post.published) return false
    if (status === 'drafts' && post.published) return false
    if (status === 'recent' && !within(post.created_at, since)) return false
    return words === '' || post.title.toLowerCase().includes(words) || post.author_name.toLowerCase().includes(words)
  })
}

export interface PostFigures {
  published: number
  drafts: number
  /** Published within the last seven days. */
  thisWeek: number
}

export function countPosts(posts: readonly PostRow[], now = Date.now()): PostFigures {
  const published = posts.filter((post) => post.published)
  return {
    published: published.length,
    drafts: posts.length - published.length,
    // What is to appear later was not published yet.
    thisWeek: published.filter((post) => within(post.published_at, now - WEEK_MS) && !isScheduled(post, now)).length,
  }
}

const KEYS: Record<string, (post: PostRow) => string> = {
  title: (post) => post.title.toLocaleLowerCase(),
  author: (post) => post.author_name.toLocaleLowerCase(),
  created: (post) => post.created_at,
  published: (post) => post.published_at ?? '',
}

/** The posts in that order; those that are equal stay as they come, the newest first. */
export function sortPosts(posts: readonly PostRow[], sort: Sorting): readonly PostRow[] {
  if (sort === DEFAULT_SORTING) return posts
  const sign = sort.startsWith('-') ? -1 : 1
  const key = KEYS[sort.replace('-', '')] ?? (() => '')
  return [...posts].sort((a, b) => sign * key(a).localeCompare(key(b)))
}

/** Published for a time that is still to come. */
export const isScheduled = ({ published, published_at }: Pick<PostRow, 'published' | 'published_at'>, now = Date.now()) =>
  published && published_at !== null && Date.parse(published_at) > now
