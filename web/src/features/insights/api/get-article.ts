import { lazyClient } from '@/lib/lazy-client'
import type { Row } from '@/lib/rows'
import { dataOf } from '@/lib/results'
import { serverData, servedText } from '@/lib/server-data'
import { useLateQuery } from '@/lib/use-late-query'

export type Article = Row<'blog_posts'>

/** An article and its text as it may be shown. */
export interface ReadableArticle {
  article: Article
  safe: string
  /** The text stands in the page already, as the server cleaned it. */
  served: boolean
}

async function getArticle(slug: string): Promise<ReadableArticle> {
  // What cleans a text is fetched with the first that did not come with the page.
  const [client, { articleHtml }] = await Promise.all([lazyClient(), import('@/ui/article-html')])
  const article = dataOf(await client.from('blog_posts').select('*').eq('slug', slug).eq('published', true).single())
  return { article, safe: articleHtml(article.content), served: false }
}

/** The article that came with the page, if it is this one and still stands there. */
function served(slug: string): ReadableArticle | undefined {
  const article = serverData('post-data') as Article | undefined
  const text = article?.slug === slug ? servedText() : undefined
  return article && text !== undefined ? { article, safe: text, served: true } : undefined
}

export const useArticle = (slug: string) =>
  useLateQuery({ queryKey: ['insights', 'article', slug], queryFn: () => getArticle(slug), served: () => served(slug) })
