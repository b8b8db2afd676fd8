import { lazyClient } from '@/lib/lazy-client'
import { dataOf } from '@/lib/results'
import type { ListState } from '../list-state'
import { arrayLiteral, containsText } from '../search-filter'

export const PAGE_SIZE = 10

/** The table API's code for a page behind the last row. */
const OUT_OF_RANGE = 'PGRST103'

/** Page `state.page` of the published articles, newest first; the first page when that one does not exist. Throws the table API's error. */
export async function listPosts({ search, tag, page }: ListState) {
  const from = (page - 1) * PAGE_SIZE
  const client = await lazyClient()
  let query = client
    .from('blog_posts')
    .select('id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes', { count: 'exact' })
    .eq('published', true)
  if (search !== '') query = query.or(containsText(['title', 'excerpt'], search))
  if (tag !== '') query = query.contains('tags', arrayLiteral([tag]))
  const result = await query.order('published_at', { ascending: false }).range(from, from + PAGE_SIZE - 1)
  if (result.error?.code === OUT_OF_RANGE && page > 1) return listPosts({ search, tag, page: 1 })
  return { posts: dataOf(result), count: result.count ?? 0, page }
}

export type PostPage = Awaited<ReturnType<typeof listPosts>>

export type PostSummary = PostPage['posts'][number]
