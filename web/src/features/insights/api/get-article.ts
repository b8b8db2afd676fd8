import { useQuery } from '@tanstack/react-query'
import { lateClient } from '@/lib/late-client'
import type { Row } from '@/lib/rows'
import { dataOf, queryClient } from '@/lib/queries'
import { servedAt, servedData } from '@/lib/served'

export type Article = Row<'blog_posts'>

async function getArticle(slug: string): Promise<Article> {
  const client = await lateClient()
  return dataOf(await client.from('blog_posts').select('*').eq('slug', slug).eq('published', true).single())
}

/** The article that came with the page, if it is this one. */
function served(slug: string): Article | undefined {
  const article = servedData('post-data') as Article | undefined
  return article?.slug === slug ? article : undefined
}

export const useArticle = (slug: string) =>
  useQuery(
    { queryKey: ['insights', 'article', slug], queryFn: () => getArticle(slug), initialData: () => served(slug), initialDataUpdatedAt: servedAt },
    queryClient,
  )
