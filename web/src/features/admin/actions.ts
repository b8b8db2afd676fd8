/** What can be done to a post from the list: how it is called, what it says afterwards, and the doing. */
import { deletePost } from './api/delete-post'
import type { PostRow } from './api/list-posts'
import { setStatus } from './api/set-status'

export interface PostAction {
  label: string
  /** Asked before; none for what can be undone. */
  question?: (post: PostRow) => string
  success: string
  failure: string
  run: (post: PostRow) => Promise<void>
}

export const publish: PostAction = {
  label: 'Publish',
  success: 'Post published successfully',
  failure: 'Failed to update post status',
  run: ({ id }) => setStatus(id, true),
}

export const unpublish: PostAction = {
  label: 'Unpublish',
  success: 'Post unpublished successfully',
  failure: 'Failed to update post status',
  run: ({ id }) => setStatus(id, false),
}

export const remove: PostAction = {
  label: 'Delete',
  question: ({ title }) => `Are you sure you want to delete "${title}"?`,
  success: 'Blog post deleted successfully',
  failure: 'Failed to delete blog post',
  run: ({ id }) => deletePost(id),
}
