import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lateClient } from '@/lib/late-client'
import { dataOf, queryClient } from '@/lib/queries'
import { servedAt } from '@/lib/served'
import type { ListState } from '../list-state'
import { arrayLiteral, containsText } from '../search-filter'
import { servedPosts } from './served-list'

export const PAGE_SIZE = 10

/** The table API's code for a page behind the last row. */
const OUT_OF_RANGE = 'PGRST103'

async function listPosts({ search, tag, page }: ListState) {
  const from = (page - 1) * PAGE_SIZE
  const client = await lateClient()
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

/** One page of published articles, newest first; `page` is the first one when the wanted one does not exist. */
export const usePosts = (state: ListState) =>
  useQuery(
    {
      queryKey: ['insights', 'list', state],
      queryFn: async () => {
        try {
          return await listPosts(state)
        } catch (error) {
          console.error('Articles could not be loaded:', error)
          throw error
        }
      },
      placeholderData: keepPreviousData,
      initialData: () => servedPosts(state),
      initialDataUpdatedAt: servedAt,
    },
    queryClient,
  )
