import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'
import type { PostInsert } from '../bulk/parse-upload'

/** Inserts all of the rows or, if one of them is refused, none. */
export async function insertPosts(rows: PostInsert[]): Promise<void> {
  dataOf(await client().from('blog_posts').insert(rows))
}
