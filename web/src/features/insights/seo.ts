/** What search engines and previews are told of the pages of Insights. */
import { paths } from '@/lib/paths'
import { SITE_NAME, type SeoProps, absolute } from '@/lib/seo'
import type { Article } from './api/get-article'
import type { PostSummary } from './api/list-posts'
import { type ListState, listAddress } from './list-state'

export function articleSeo(article: Article): SeoProps {
  return {
    title: article.meta_title || article.title,
    description: article.meta_description || article.excerpt || article.title,
    path: paths.article(article.slug),
    type: 'article',
    image: article.featured_image_url || undefined,
    jsonLd: [articleData(article)],
  }
}

function articleData(article: Article): object {
  return {
    '@type': 'Article',
    headline: article.title,
    description: article.meta_description || article.excerpt || undefined,
    image: article.featured_image_url ? [absolute(article.featured_image_url)] : undefined,
    datePublished: article.published_at,
    dateModified: article.updated_at,
    author: { '@type': 'Organization', name: article.author_name },
    publisher: { '@type': 'Organization', name: SITE_NAME, url: absolute('/') },
    mainEntityOfPage: absolute(paths.article(article.slug)),
    keywords: article.tags.join(', ') || undefined,
  }
}

/** What every page of the list has in common. */
export const listSeo = {
  title: 'Insights on Medical Waste Compliance',
  description: 'Articles on medical and pharmaceutical waste, OSHA and DOT rules, and state requirements for healthcare facilities in New England.',
  feed: paths.feed,
} satisfies Partial<SeoProps>

/** Every search would be another page with the same articles, so it stays out of indexes. Without `posts` nothing is known yet. */
export function listSeoOf(state: ListState, posts: readonly PostSummary[] | undefined): SeoProps {
  const path = listAddress({ ...state, search: '' })
  return { ...listSeo, path, noindex: state.search !== '', jsonLd: posts === undefined ? [] : [listData(posts, path)] }
}

function listData(posts: readonly PostSummary[], path: string): object {
  return {
    '@type': 'CollectionPage',
    name: 'Insights',
    url: absolute(path),
    mainEntity: {
      '@type': 'ItemList',
      itemListElement: posts.map(({ slug, title }, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        url: absolute(paths.article(slug)),
        name: title,
      })),
    },
  }
}
