import { lazyClient } from '@/lib/lazy-client'
import { dataOf } from '@/lib/results'
import { useLateQuery } from '@/lib/use-late-query'
import { serverTags } from './server-list'

/** Every topic of the published articles, most used first. */
async function listTags(): Promise<string[]> {
  const client = await lazyClient()
  return dataOf(await client.rpc('list_topics', undefined, { get: true }))
}

/** Asked once a visit: topics change rarely. */
export const useTags = () =>
  useLateQuery({ queryKey: ['insights', 'tags'], queryFn: listTags, staleTime: Number.POSITIVE_INFINITY, served: serverTags })
