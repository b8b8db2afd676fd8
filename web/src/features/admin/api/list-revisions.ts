import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'

const SHOWN = 100

async function listRevisions(postId: string) {
  return dataOf(
    await client()
      .from('blog_post_revisions')
      .select('id, title, saved_at, replaced_at')
      .eq('post_id', postId)
      .order('replaced_at', { ascending: false })
      .limit(SHOWN),
  )
}

/** Earlier versions of a post, the latest first. */
export const useRevisions = (postId: string) =>
  useQuery({ queryKey: ['admin', 'revisions', postId], queryFn: () => listRevisions(postId), staleTime: 0 }, queryClient)

async function getRevision(id: string) {
  return dataOf(await client().from('blog_post_revisions').select('*').eq('id', id).single())
}

/** One earlier version; it never changes. */
export const useRevision = (id: string | null) =>
  useQuery(
    { queryKey: ['admin', 'revision', id], queryFn: () => getRevision(id ?? ''), enabled: id !== null, staleTime: Number.POSITIVE_INFINITY },
    queryClient,
  )
