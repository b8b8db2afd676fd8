import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'

const CHUNK = 100

/** Addresses that articles had, and the articles they lead to now, the latest first. */
async function listRedirects() {
  return dataOf(await client().from('blog_post_slugs').select('slug, retired_at, blog_posts(id, title, slug, published)').order('retired_at', { ascending: false }))
}

export const useRedirects = () => useQuery({ queryKey: ['admin', 'redirects'], queryFn: listRedirects, staleTime: 0 }, queryClient)

export interface LinkingPost {
  id: string
  title: string
  slug: string
  published: boolean
  content: string
}

/** Every post with its text, a hundred at a time. */
export async function readAllTexts(): Promise<LinkingPost[]> {
  const posts: LinkingPost[] = []
  for (;;) {
    const more = dataOf(await client().from('blog_posts').select('id, title, slug, published, content').order('id').range(posts.length, posts.length + CHUNK - 1))
    posts.push(...more)
    if (more.length < CHUNK) return posts
  }
}
