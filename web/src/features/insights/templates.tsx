/** The pages of Insights as templates, which functions/render-insight and functions/render-insights fill. */
import type { ReactNode } from 'react'
import { Show } from '@/lib/control-flow'
import { paths } from '@/lib/paths'
import { type SeoTag, renderTags, seoTags } from '@/lib/seo'
import { addressSlot, condition, end, flagSlot, listSlot, numberSlot, otherwise, slot } from '@/templates/slots'
import { ArticleText } from '@/ui/article-body'
import type { IconName } from '@/ui/icon'
import { PageLinks } from '@/ui/pagination'
import { SearchBox } from '@/ui/search-box'
import { ArticleActionsPlaceholder } from './article-actions'
import { ArticleMissing, ArticlePageView } from './article-page-view'
import { ListView, searchField } from './list-view'
import { listSeo } from './seo'
import { OTHER_ART, TOPIC_ART } from './topic-art'
import { ClearLink, TopicLinks } from './topics'

export interface PageTemplate {
  name: string
  /** Where the page stands, for links that know it. */
  location: string
  /** The page whose code the browser needs. */
  source: string
  page: ReactNode
  /** Tags of the head; those of the page itself where it says them. */
  head?: string
  /** Id of the script with what the browser need not ask for. */
  data?: 'list-data' | 'post-data'
}

const structuredAs = (index: number, name: string): SeoTag => ({
  key: `jsonld:${index}`,
  tag: 'script',
  attributes: { type: 'application/ld+json' },
  text: slot('json', name),
})
const structured = structuredAs(0, 'structured')

/** The social card of an article is its picture, whose address is absolute or not: the server knows. */
const withImage = (tags: SeoTag[]) =>
  tags.map((tag) => (tag.key === 'property:og:image' ? { ...tag, attributes: { ...tag.attributes, content: slot('text', 'image') } } : tag))

const article = {
  title: slot('text', 'title'),
  excerpt: slot('text', 'excerpt'),
  author_name: slot('text', 'author_name'),
  published_at: slot('text', 'published_at'),
  reading_time_minutes: numberSlot('reading_time_minutes'),
  featured_image_url: slot('url', 'featured_image_url'),
  tags: listSlot('tags', slot('text', '.')),
  updated_at: slot('text', 'updated_at'),
}

const card = {
  ...article,
  id: '',
  slug: slot('text', 'slug'),
  art: { drawing: slot('url', 'art.drawing'), icon: slot('text', 'art.icon') as IconName },
}

const section = { id: slot('text', 'id'), text: slot('text', 'text') }
const source = { address: slot('text', 'address'), text: slot('text', 'text'), host: slot('text', 'host') }
const topic = { name: slot('text', 'name'), address: addressSlot('address'), active: flagSlot('active') }
const pageLink = { key: '', number: numberSlot('number'), to: addressSlot('address'), current: flagSlot('current') }

const listHead = (noindex: boolean) =>
  renderTags([
    ...seoTags({ ...listSeo, title: slot('text', 'head.title'), plainTitle: true, description: slot('text', 'head.description'), path: addressSlot('address'), noindex }),
    structured,
  ])

export const templates: readonly PageTemplate[] = [
  {
    name: 'article',
    location: paths.article('slug'),
    source: 'src/features/insights/article-page.tsx',
    head: renderTags([
      ...withImage(
        seoTags({ title: slot('text', 'head.title'), plainTitle: true, description: slot('text', 'head.description'), path: addressSlot('address'), type: 'article' }),
      ),
      structured,
      structuredAs(1, 'breadcrumbs'),
    ]),
    page: <ArticlePageView article={article} body={<ArticleText html={slot('html', 'content')} />} sections={listSlot('sections', section)} sources={listSlot('sources', source)} actions={<ArticleActionsPlaceholder />} />,
    data: 'post-data',
  },
  {
    name: 'article-missing',
    location: paths.article('slug'),
    source: 'src/features/insights/article-page.tsx',
    page: <ArticleMissing message="Article not found" />,
  },
  {
    name: 'articles',
    location: paths.insights,
    source: 'src/features/insights/list-page.tsx',
    head: condition(slot('text', 'noindex')) + listHead(true) + otherwise + listHead(false) + end,
    page: (
      <ListView
        heading={slot('text', 'head.heading')}
        search={slot('text', 'search')}
        tag={slot('text', 'tag')}
        page={numberSlot('page')}
        lastPage={numberSlot('last_page')}
        several={flagSlot('several')}
        filtered={flagSlot('filtered')}
        posts={listSlot('posts', card)}
        shown={numberSlot('shown')}
        total={numberSlot('total')}
        searchBox={<SearchBox {...searchField} defaultValue={slot('text', 'search')} />}
        topics={<TopicLinks topics={listSlot('topics', topic)} />}
        pagination={
          <Show when={flagSlot('several')}>
            {() => <PageLinks previous={addressSlot('previous')} next={addressSlot('next')} pages={listSlot('pages', pageLink)} />}
          </Show>
        }
        clear={<ClearLink />}
      />
    ),
    data: 'list-data',
  },
]

/** What else the functions must know of the site. */
export const art = { topics: TOPIC_ART, other: OTHER_ART }
