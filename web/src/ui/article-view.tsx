import type { ReactNode } from 'react'
import { type To } from 'react-router-dom'
import { For, Show } from '@/lib/control-flow'
import { Badge } from './badge'
import { Icon } from './icon'
import { Link } from './link'
import type { Section, Source } from './outline'
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
  /** When it was last looked through. */
  updated_at?: string
}

interface ArticleViewProps {
  article: ArticleContent
  /** Its text, set for reading. */
  body: ReactNode
  /** Above the tags, such as the way back. */
  before?: ReactNode
  /** To jump to, at the side; none for a short article. */
  sections?: readonly Section[]
  /** Pages of others that it rests on. */
  sources?: readonly Source[]
  /** Between headline and picture, such as share buttons. */
  actions?: ReactNode
  /** Where a topic leads; topics are plain badges without it. */
  tagHref?: (tag: string) => To
}

/** An article as readers see it; the public page, what the server renders of it and the view of a draft are the same thing. */
export function ArticleView({ article, body, before, actions, tagHref, sections = [], sources = [] }: ArticleViewProps) {
  return (
    <article>
      <header className="border-b border-granite-200 bg-granite-50">
        <div className="container py-10 lg:py-14">
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
          <h1 className="mt-4 max-w-[22ch] text-h1 break-words">{article.title}</h1>
          <Show when={article.excerpt}>{(excerpt) => <p className="mt-5 max-w-[60ch] text-lead text-granite-600">{excerpt}</p>}</Show>
          <div className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm text-granite-600">
            <span className="font-semibold text-ink">{article.author_name}</span>
            <Show when={article.published_at}>{(at) => <PublishedDate at={at} format="long" />}</Show>
            <span className="inline-flex items-center gap-1.5">
              <Icon name="clock" className="size-4" />
              {article.reading_time_minutes} min read
            </span>
          </div>
          {actions}
        </div>
      </header>
      <div className="container grid grid-cols-1 items-start gap-x-14 gap-y-8 py-10 lg:grid-cols-[minmax(0,46rem)_minmax(0,1fr)] lg:py-12">
        <Show when={sections}>{(some) => <Contents sections={some} />}</Show>
        <div className="lg:col-start-1 lg:row-start-1">
          <Show when={article.featured_image_url}>
            {(url) => <img src={url} alt="" className="mb-10 aspect-[16/9] w-full rounded-lg bg-granite-100 object-cover" />}
          </Show>
          {body}
          <Show when={sources}>{(some) => <Sources sources={some} />}</Show>
          <Author article={article} />
        </div>
      </div>
    </article>
  )
}

function Contents({ sections }: { sections: readonly Section[] }) {
  return (
    <nav aria-label="On this page" className="no-print rounded-lg border border-granite-200 p-5 lg:sticky lg:top-8 lg:col-start-2 lg:row-start-1 lg:max-h-[calc(100dvh-4rem)] lg:overflow-auto lg:rounded-none lg:border-0 lg:p-0">
      <h2 className="text-sm font-bold text-granite-600">On this page</h2>
      <ul className="mt-3 grid gap-0.5 border-l-2 border-harbor-100 text-sm">
        <For each={sections}>
          {({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`} className="-ml-0.5 block border-l-2 border-transparent py-1.5 pl-4 hover:border-gold-500 hover:text-harbor-700">
                {text}
              </a>
            </li>
          )}
        </For>
      </ul>
    </nav>
  )
}

function Sources({ sources }: { sources: readonly Source[] }) {
  return (
    <section aria-labelledby="sources" className="mt-12 border-t border-granite-200 pt-6">
      <h2 id="sources" className="text-h4">
        Sources
      </h2>
      <ul className="mt-3 grid gap-2 text-sm">
        <For each={sources}>
          {({ address, text, host }) => (
            <li key={address}>
              <a href={address} target="_blank" rel="noopener noreferrer" className="font-medium break-words text-harbor-700 underline underline-offset-2">
                {text}
              </a>{' '}
              <span className="text-granite-600">({host})</span>
            </li>
          )}
        </For>
      </ul>
    </section>
  )
}

/** Who says so, and when it was last looked through. */
function Author({ article }: { article: ArticleContent }) {
  return (
    <aside aria-label="About the author" className="mt-10 flex gap-5 rounded-lg bg-harbor-50 p-5 sm:p-6">
      <span aria-hidden="true" className="grid size-12 shrink-0 place-items-center rounded-full bg-harbor-900 text-gold-400">
        <Icon name="write" className="size-5.5" />
      </span>
      <div>
        <p className="font-display font-bold">{article.author_name}</p>
        <p className="mt-1 text-sm text-granite-600">Written from the daily work of collecting medical waste in New England since 1995, and checked against the text of the rules.</p>
        <Show when={article.updated_at ?? ''}>
          {(at) => (
            <p className="mt-2 text-sm font-medium">
              <PublishedDate at={at} format="long" before="Reviewed on " />
            </p>
          )}
        </Show>
      </div>
    </aside>
  )
}
