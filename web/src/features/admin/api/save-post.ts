import { client } from '@/lib/client'
import { RequestError, dataOf } from '@/lib/results'
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

const DUPLICATE = '23505'

/** Whether a stored post says what was sent; the time of publishing is the moment of each attempt. */
function says(post: Post, { published_at: _at, ...sent }: PostPayload): boolean {
  return Object.entries(sent).every(([name, value]) => JSON.stringify(post[name as keyof Post]) === JSON.stringify(value))
}

/**
 * Stores a new post under an id of our own. An attempt whose answer was lost has stored it: the next one finds the
 * post under its id and brings it up to date. `former` is what that attempt sent; anything else was somebody's edit.
 */
export async function createPost(id: string, payload: PostPayload, former: PostPayload | null): Promise<SaveOutcome> {
  try {
    dataOf(await client().from('blog_posts').insert({ id, ...payload }))
    return stored()
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== DUPLICATE) throw error
    const own = await findPost(id)
    if (!own) throw error
    if (says(own, payload)) return stored()
    return former && says(own, former) ? updatePost(id, payload, own.updated_at) : { kind: 'conflict', theirs: own }
  }
}

/** Stores the post only if it is still the version that was edited, known by its `updated_at`. */
export async function updatePost(id: string, payload: PostPayload, version: string): Promise<SaveOutcome> {
  const rows = dataOf(await client().from('blog_posts').update(payload).eq('id', id).eq('updated_at', version).select('id'))
  if (rows.length > 0) return stored()
  const theirs = await findPost(id)
  // What is stored is what was sent: the answer to an earlier attempt was lost.
  if (theirs && says(theirs, payload)) return stored()
  return theirs ? { kind: 'conflict', theirs } : { kind: 'gone' }
}
