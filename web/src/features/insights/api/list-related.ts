import { lazyClient } from '@/lib/lazy-client'
import { dataOf } from '@/lib/results'
import { useLateQuery } from '@/lib/use-late-query'
import { arrayLiteral } from '../search-filter'
import type { Article } from './get-article'

const RELATED = 3

/** The newest other articles that share a topic with this one. */
async function listRelated({ id, tags }: Article) {
  const client = await lazyClient()
  return dataOf(
    await client
      .from('blog_posts')
      .select('id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes')
      .eq('published', true)
      .neq('id', id)
      .overlaps('tags', arrayLiteral(tags))
      .order('published_at', { ascending: false })
      .limit(RELATED),
  )
}

export const useRelated = (article: Article, enabled: boolean) =>
  useLateQuery({ queryKey: ['insights', 'related', article.id, article.tags], queryFn: () => listRelated(article), enabled: enabled && article.tags.length > 0 })
