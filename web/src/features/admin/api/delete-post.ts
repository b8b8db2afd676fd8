import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'
import { forgetPublicPosts, updatePosts } from './list-posts'

export async function deletePost(id: string): Promise<void> {
  dataOf(await client().from('blog_posts').delete().eq('id', id))
  updatePosts((posts) => posts.filter((post) => post.id !== id))
  forgetPublicPosts()
}
