import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'

async function getPost(id: string) {
  return dataOf(await client().from('blog_posts').select('*').eq('id', id).single())
}

/** The post as it is stored now; null when it has been deleted. */
export async function findPost(id: string) {
  return dataOf(await client().from('blog_posts').select('*').eq('id', id).maybeSingle())
}

/** Never from the cache: whoever edits must start from what is stored. */
export const usePost = (id: string) =>
  useQuery({ queryKey: ['admin', 'post', id], queryFn: () => getPost(id), gcTime: 0, staleTime: Number.POSITIVE_INFINITY }, queryClient)
