import { Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { type To } from 'react-router-dom'
import { For, Show } from '@/lib/control-flow'
import { Badge } from './badge'
import { Link } from './link'
import { PublishedDate } from './published-date'

export interface ArticleContent {
  title: string
  excerpt: string | null
  author_name: string
  /** Null for a draft. */
  published_at: string | null
  reading_time_minutes: number
  featured_image_url: string | null
  tags: readonly string[]
}

interface ArticleViewProps {
  article: ArticleContent
  /** Its text, set for reading. */
  body: ReactNode
  /** Above the tags, such as the way back. */
  before?: ReactNode
  /** Between headline and picture, such as share buttons. */
  actions?: ReactNode
  /** Where a topic leads; topics are plain badges without it. */
  tagHref?: (tag: string) => To
}

/** An article as readers see it; the public page, what the server renders of it and the view of a draft are the same thing. */
export function ArticleView({ article, body, before, actions, tagHref }: ArticleViewProps) {
  return (
    <article>
      <header className="border-b border-granite-200 bg-granite-50">
        <div className="container max-w-[54rem] py-10 lg:py-14">
          {before}
          <Show when={article.tags}>
            {(tags) => (
              <ul aria-label="Topics" className="mt-6 flex flex-wrap gap-2">
                <For each={tags}>
                  {(name) => (
                    <li key={name}>
                      {tagHref ? (
                        <Link to={tagHref(name)} className="inline-flex rounded-full bg-harbor-100 px-3 py-1 text-xs font-semibold text-harbor-800 hover:bg-harbor-200">
                          {name}
                        </Link>
                      ) : (
                        <Badge tone="harbor">{name}</Badge>
                      )}
                    </li>
                  )}
                </For>
              </ul>
            )}
          </Show>
          <h1 className="mt-4 text-h1 break-words">{article.title}</h1>
          <Show when={article.excerpt}>{(excerpt) => <p className="mt-5 text-lead text-granite-600">{excerpt}</p>}</Show>
          <div className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm text-granite-600">
            <span className="font-semibold text-ink">{article.author_name}</span>
            <Show when={article.published_at}>{(at) => <PublishedDate at={at} format="long" />}</Show>
            <span className="inline-flex items-center gap-1.5">
              <Clock aria-hidden="true" className="size-4" />
              {article.reading_time_minutes} min read
            </span>
          </div>
          {actions}
        </div>
      </header>
      <div className="container max-w-[54rem] py-10 lg:py-12">
        <Show when={article.featured_image_url}>
          {(url) => <img src={url} alt="" className="mb-10 aspect-[16/9] w-full rounded-lg bg-granite-100 object-cover" />}
        </Show>
        {body}
      </div>
    </article>
  )
}
