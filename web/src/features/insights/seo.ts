/** What search engines and previews are told of the pages of Insights. */
import { paths } from '@/lib/paths'
import { SITE_NAME, type SeoProps, absolute } from '@/lib/seo'
import { breadcrumbs } from '@/parts/structured-data'
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
    jsonLd: [articleData(article), breadcrumbs([{ label: 'Insights', to: paths.insights }, { label: article.title, to: paths.article(article.slug) }])],
  }
}

function articleData(article: Article): object {
  return {
    '@type': 'Article',
    headline: article.title,
    description: article.meta_description || article.excerpt || undefined,
    image: [absolute(article.featured_image_url || '/og/default.png')],
    datePublished: article.published_at,
    dateModified: article.updated_at,
    author: { '@type': 'Organization', name: article.author_name },
    publisher: { '@type': 'Organization', name: SITE_NAME, url: absolute('/'), logo: { '@type': 'ImageObject', url: absolute('/icon-512.png'), width: 512, height: 512 } },
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

/** What a page of the list is called, the first of all articles by the list's own name. `functions/render-insights` says the same. */
export function listNames({ tag, page }: Pick<ListState, 'tag' | 'page'>): { title: string; heading: string; description: string } {
  const part = page > 1 ? `, page ${page}` : ''
  if (tag === '') return { title: listSeo.title + part, heading: `Insights${part}`, description: part === '' ? listSeo.description : `Page ${page}: ${listSeo.description}` }
  return {
    title: `${tag}: Insights${part}`,
    heading: `Insights: ${tag}${part}`,
    description: `Articles on ${tag} for healthcare facilities in New England${part}: medical and pharmaceutical waste, training and inspections.`,
  }
}

/**
 * Every search would be another page with the same articles, and a topic without any is no page at all: both stay out
 * of indexes. Without `posts` nothing is known yet.
 */
export function listSeoOf(state: ListState, posts: readonly PostSummary[] | undefined): SeoProps {
  const path = listAddress({ ...state, search: '' })
  const { title, description } = listNames(state)
  return { ...listSeo, title, description, path, noindex: state.search !== '' || posts?.length === 0, jsonLd: posts === undefined ? [] : [listData(posts, path)] }
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
