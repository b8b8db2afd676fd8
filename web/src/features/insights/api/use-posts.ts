import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { queryClient } from '@/lib/queries'
import { serverDataAt } from '@/lib/server-data'
import type { ListState } from '../list-state'
import { listPosts } from './list-posts'
import { serverPosts } from './server-list'

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
      initialData: () => serverPosts(state),
      initialDataUpdatedAt: serverDataAt,
    },
    queryClient,
  )
