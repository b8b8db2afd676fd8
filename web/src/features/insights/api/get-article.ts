import { useQuery } from '@tanstack/react-query'
import { lazyClient } from '@/lib/lazy-client'
import type { Row } from '@/lib/rows'
import { dataOf, queryClient } from '@/lib/queries'
import { serverDataAt, serverData } from '@/lib/server-data'

export type Article = Row<'blog_posts'>

async function getArticle(slug: string): Promise<Article> {
  const client = await lazyClient()
  return dataOf(await client.from('blog_posts').select('*').eq('slug', slug).eq('published', true).single())
}

/** The article that came with the page, if it is this one. */
function served(slug: string): Article | undefined {
  const article = serverData('post-data') as Article | undefined
  return article?.slug === slug ? article : undefined
}

export const useArticle = (slug: string) =>
  useQuery(
    { queryKey: ['insights', 'article', slug], queryFn: () => getArticle(slug), initialData: () => served(slug), initialDataUpdatedAt: serverDataAt },
    queryClient,
  )
