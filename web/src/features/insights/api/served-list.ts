import { servedData } from '@/lib/served'
import { type ListState, listQuery } from '../list-state'
import type { PostPage } from './list-posts'

interface ServedList {
  state: ListState
  list: PostPage
  tags: string[]
}

/** The part of the list that came with the page. */
const served = () => servedData('list-data') as ServedList | undefined

/** Its articles, if they are those of this state. */
export function servedPosts(state: ListState): PostPage | undefined {
  const found = served()
  return found && listQuery(found.state) === listQuery(state) ? found.list : undefined
}

export const servedTags = () => served()?.tags
