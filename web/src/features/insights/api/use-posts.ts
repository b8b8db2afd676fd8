import { useLateQuery } from '@/lib/use-late-query'
import type { ListState } from '../list-state'
import { listPosts } from './list-posts'
import { serverPosts } from './server-list'

/** One page of published articles, newest first; `page` is the first one when the wanted one does not exist. */
export const usePosts = (state: ListState) =>
  useLateQuery({
    queryKey: ['insights', 'list', state],
    queryFn: async () => {
      try {
        return await listPosts(state)
      } catch (error) {
        console.error('Articles could not be loaded:', error)
        throw error
      }
    },
    keep: true,
    served: () => serverPosts(state),
  })
