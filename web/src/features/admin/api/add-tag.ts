import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'
import { type PostRow, forgetPublicPosts, updatePosts } from './list-posts'

/** Puts a tag on a post that has it not yet. */
export async function addTag({ id, tags }: PostRow, tag: string): Promise<void> {
  if (tags.includes(tag)) return
  const next = [...tags, tag]
  dataOf(await client().from('blog_posts').update({ tags: next }).eq('id', id))
  updatePosts((posts) => posts.map((post) => (post.id === id ? { ...post, tags: next } : post)))
  forgetPublicPosts()
}
