import { client } from '@/lib/client'
import { dataOf } from '@/lib/queries'
import type { Post, PostPayload } from '../editor/post-form'
import { findPost } from './get-post'
import { forgetPublicPosts, reloadPosts } from './list-posts'

/** Where a save ended: stored, or up against what happened to the post meanwhile. */
export type SaveOutcome = { kind: 'saved' } | { kind: 'conflict'; theirs: Post } | { kind: 'gone' }

function stored(): SaveOutcome {
  forgetPublicPosts()
  void reloadPosts()
  return { kind: 'saved' }
}

export async function createPost(payload: PostPayload): Promise<SaveOutcome> {
  dataOf(await client().from('blog_posts').insert(payload))
  return stored()
}

/** Stores the post only if it is still the version that was edited, known by its `updated_at`. */
export async function updatePost(id: string, payload: PostPayload, version: string): Promise<SaveOutcome> {
  const rows = dataOf(await client().from('blog_posts').update(payload).eq('id', id).eq('updated_at', version).select('id'))
  if (rows.length > 0) return stored()
  const theirs = await findPost(id)
  return theirs ? { kind: 'conflict', theirs } : { kind: 'gone' }
}
