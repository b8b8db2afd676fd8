import { lazyClient } from '@/lib/lazy-client'
import { dataOf } from '@/lib/results'
import { useLateQuery } from '@/lib/use-late-query'

/** The slug an article has now, found by one it had earlier; null when there never was one. */
async function findMoved(slug: string): Promise<string | null> {
  const client = await lazyClient()
  const row = dataOf(await client.from('blog_post_slugs').select('blog_posts(slug)').eq('slug', slug).maybeSingle())
  return row?.blog_posts?.slug ?? null
}

export const useMoved = (slug: string, enabled: boolean) =>
  useLateQuery({ queryKey: ['insights', 'moved', slug], queryFn: () => findMoved(slug), enabled })
