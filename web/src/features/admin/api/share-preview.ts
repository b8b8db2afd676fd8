import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'
import { uuid } from '@/lib/uuid'

/** Makes a link's token; whoever has it sees the post as it is stored, for a week. */
export async function sharePreview(postId: string): Promise<string> {
  const token = uuid()
  dataOf(await client().from('post_previews').insert({ token, post_id: postId }))
  return token
}
