import { lazyClient } from '@/lib/lazy-client'
import { dataOf } from '@/lib/results'
import { useLateQuery } from '@/lib/use-late-query'
import { serverTags } from './server-list'

/** Every topic of the published articles, most used first. The newest come first, should the server cap its answer. */
async function listTags(): Promise<string[]> {
  const client = await lazyClient()
  const rows = dataOf(await client.from('blog_posts').select('tags').eq('published', true).order('published_at', { ascending: false }))
  const uses = new Map<string, number>()
  for (const tag of rows.flatMap((row) => row.tags)) uses.set(tag, (uses.get(tag) ?? 0) + 1)
  return [...uses.keys()].sort((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0) || a.localeCompare(b))
}

/** Asked once a visit: topics change rarely. */
export const useTags = () =>
  useLateQuery({ queryKey: ['insights', 'tags'], queryFn: listTags, staleTime: Number.POSITIVE_INFINITY, served: serverTags })
