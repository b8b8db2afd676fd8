import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import type { Row } from '@/lib/rows'
import { dataOf, queryClient } from '@/lib/queries'

export type Article = Row<'blog_posts'>

async function getArticle(slug: string): Promise<Article> {
  return dataOf(await client().from('blog_posts').select('*').eq('slug', slug).eq('published', true).single())
}

/** The article that the server already put into the page, if it is this one. */
function served(slug: string): Article | undefined {
  try {
    const article = JSON.parse(document.getElementById('post-data')?.textContent ?? '') as Article
    return article.slug === slug && typeof article.content === 'string' ? article : undefined
  } catch {
    return undefined
  }
}

export const useArticle = (slug: string) =>
  useQuery({ queryKey: ['insights', 'article', slug], queryFn: () => getArticle(slug), initialData: () => served(slug) }, queryClient)
