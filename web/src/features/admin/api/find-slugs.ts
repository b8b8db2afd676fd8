import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'

/** The table API's code for "not exactly one row". */
const NONE = 'PGRST116'

/** Whether a post has the slug already. */
export async function slugExists(slug: string): Promise<boolean> {
  const result = await client().from('blog_posts').select('id').eq('slug', slug).single()
  return result.error?.code === NONE ? false : Boolean(dataOf(result))
}

/** Those of the slugs that posts have already. */
export async function takenSlugs(slugs: string[]): Promise<string[]> {
  const rows = dataOf(await client().from('blog_posts').select('slug').in('slug', slugs))
  return rows.map(({ slug }) => slug)
}
