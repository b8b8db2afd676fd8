import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'
import { forgetPublicPosts, updatePosts } from './list-posts'

/** Publishes a post as of now, or takes it back into the drafts. */
export async function setStatus(id: string, published: boolean, now = new Date()): Promise<void> {
  const status = { published, published_at: published ? now.toISOString() : null }
  dataOf(await client().from('blog_posts').update(status).eq('id', id))
  updatePosts((posts) => posts.map((post) => (post.id === id ? { ...post, ...status } : post)))
  forgetPublicPosts()
}
