import { serverData } from '@/lib/server-data'
import { type ListState, listQuery } from '../list-state'
import type { PostPage } from './list-posts'

interface ServerList {
  state: ListState
  list: PostPage
  tags: string[]
}

/** The part of the list that came with the page. */
const served = () => serverData('list-data') as ServerList | undefined

/** Its articles, if they are those of this state. */
export function serverPosts(state: ListState): PostPage | undefined {
  const found = served()
  return found && listQuery(found.state) === listQuery(state) ? found.list : undefined
}

export const serverTags = () => served()?.tags
