import { Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { type To } from 'react-router-dom'
import { longDate } from '@/lib/dates'
import { Link } from '@/ui/link'
import { ArticleBody } from './article-body'
import { Badge } from './badge'

export interface ArticleContent {
  title: string
  excerpt: string | null
  content: string
  author_name: string
  /** Null for a draft. */
  published_at: string | null
  reading_time_minutes: number
  featured_image_url: string | null
  tags: readonly string[]
}

interface ArticleViewProps {
  article: ArticleContent
  /** Above the tags, such as the way back. */
  before?: ReactNode
  /** Between headline and picture, such as share buttons. */
  actions?: ReactNode
  /** Where a topic leads; topics are plain badges without it. */
  tagHref?: (tag: string) => To
}

/** An article as readers see it; the public page and the view of a draft are the same thing. */
export function ArticleView({ article, before, actions, tagHref }: ArticleViewProps) {
  return (
    <article>
      <header className="border-b border-granite-200 bg-granite-50">
        <div className="container max-w-[54rem] py-10 lg:py-14">
          {before}
          {article.tags.length > 0 ? (
            <ul aria-label="Topics" className="mt-6 flex flex-wrap gap-2">
              {article.tags.map((name) => (
                <li key={name}>
                  {tagHref ? (
                    <Link to={tagHref(name)} className="inline-flex rounded-full bg-harbor-100 px-3 py-1 text-xs font-semibold text-harbor-800 hover:bg-harbor-200">
                      {name}
                    </Link>
                  ) : (
                    <Badge tone="harbor">{name}</Badge>
                  )}
                </li>
              ))}
            </ul>
          ) : null}
          <h1 className="mt-4 text-h1 break-words">{article.title}</h1>
          {article.excerpt ? <p className="mt-5 text-lead text-granite-600">{article.excerpt}</p> : null}
          <div className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm text-granite-600">
            <span className="font-semibold text-ink">{article.author_name}</span>
            {article.published_at ? <time dateTime={article.published_at}>{longDate(article.published_at)}</time> : null}
            <span className="inline-flex items-center gap-1.5">
              <Clock aria-hidden="true" className="size-4" />
              {article.reading_time_minutes} min read
            </span>
          </div>
          {actions}
        </div>
      </header>
      <div className="container max-w-[54rem] py-10 lg:py-12">
        {article.featured_image_url ? (
          <img src={article.featured_image_url} alt="" className="mb-10 aspect-[16/9] w-full rounded-lg bg-granite-100 object-cover" />
        ) : null}
        <ArticleBody html={article.content} />
      </div>
    </article>
  )
}
