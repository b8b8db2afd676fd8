/** What the list of articles shows, drawn by the browser and, as a template, by the server. */
import type { ReactNode, SubmitEvent } from 'react'
import { For, Show } from '@/lib/control-flow'
import { paths } from '@/lib/paths'
import { InTurn } from '@/parts/in-turn'
import { PageHero } from '@/parts/page-hero'
import { Icon } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'
import type { PostSummary } from './api/list-posts'
import { PostCard } from './post-card'
import type { TopicArt } from './topic-art'

interface ListViewProps {
  /** See `listNames`. */
  heading: string
  search: string
  tag: string
  page: number
  lastPage: number
  /** Whether there is more than one page. */
  several: boolean
  /** Whether not all articles were asked for. */
  filtered: boolean
  posts: readonly Card[]
  shown: number
  total: number
  /** Nothing is known yet. */
  pending?: boolean
  /** Others are on their way. */
  busy?: boolean
  searchBox: ReactNode
  onSearch?: (event: SubmitEvent<HTMLFormElement>) => void
  /** To choose from; none while they are not known. */
  topics: ReactNode
  pagination: ReactNode
  /** The way back to all articles. */
  clear: ReactNode
}

type Card = PostSummary & { art?: TopicArt }

export function ListView(props: ListViewProps) {
  const { posts, pending = false } = props
  return (
    <>
      <PageHero
        title={props.heading}
        here="Insights"
        lead="Plain answers on medical and pharmaceutical waste, training and inspections, for the people who have to get it right in New England."
      />
      <div className="container py-10 lg:py-14">
        <div className="grid gap-5">
          <form role="search" action={paths.insights} className="max-w-2xl" onSubmit={props.onSearch}>
            {props.searchBox}
            {/* Goes along when the form is sent without a script. */}
            <Show when={props.tag}>{(chosen) => <input type="hidden" name="tag" value={chosen} />}</Show>
          </form>
          {/* Room for the topics while they load, so that they push nothing down. */}
          {props.topics === null ? <div className="min-h-64 sm:min-h-32 lg:min-h-20" /> : (
            <div>
              <InTurn>{props.topics}</InTurn>
            </div>
          )}
        </div>

        <div aria-live="polite" className="mt-8 min-h-6 text-sm text-granite-600">
          {pending ? (
            <p className="flex items-center gap-3">
              <Spinner /> Loading articles...
            </p>
          ) : (
            <Show when={posts}>{() => <Count {...props} />}</Show>
          )}
        </div>

        {pending ? (
          // A screenful keeps the footer where it will be.
          <div className="min-h-svh" />
        ) : (
          <Show when={posts} otherwise={<Empty filtered={props.filtered} clear={props.clear} />}>
            {(some) => (
              <>
                <Cards posts={some} busy={props.busy ?? false} />
                <div className="mt-12">
                  <InTurn>{props.pagination}</InTurn>
                </div>
              </>
            )}
          </Show>
        )}
      </div>
    </>
  )
}

/** What every search field of the list has. */
export const searchField = {
  id: 'search-articles',
  name: 'search',
  // What the browser itself would put back, after a reload, belongs to another search.
  autoComplete: 'off',
  'aria-label': 'Search articles',
  placeholder: 'Search articles...',
} as const

/** 'Showing 10 of 42 articles', and under which conditions. */
function Count({ shown, total, search, tag, page, lastPage, several }: ListViewProps) {
  return (
    <p>
      Showing {shown} of {total} articles
      <Show when={search}>{(words) => <> for "{words}"</>}</Show>
      <Show when={tag}>{(chosen) => <> in "{chosen}"</>}</Show>
      <Show when={several}>
        {() => (
          <>
            {' '}
            (page {page} of {lastPage})
          </>
        )}
      </Show>
    </p>
  )
}

function Cards({ posts, busy }: { posts: readonly Card[]; busy: boolean }) {
  return (
    <ul aria-busy={busy} className="mt-5 grid gap-6 transition-opacity aria-busy:opacity-60 md:grid-cols-2 lg:grid-cols-3 no-orphan">
      <For each={posts}>
        {(post) => (
          <li key={post.id} className="@container">
            <InTurn>
              <PostCard post={post} art={post.art} />
            </InTurn>
          </li>
        )}
      </For>
    </ul>
  )
}

/** Where no article is. */
function Empty({ filtered, clear }: { filtered: boolean; clear: ReactNode }) {
  const words = (title: string, text: string) => (
    <>
      <h2 className="mt-4 text-h3">{title}</h2>
      <p className="mt-2 text-granite-600">{text}</p>
    </>
  )
  return (
    <div className="mt-4 flex flex-col items-center rounded-lg border border-dashed border-granite-300 px-6 py-16 text-center">
      <Icon name="missing" className="size-12 text-harbor-400" />
      <Show when={filtered} otherwise={words('No articles yet', "We're working on bringing you valuable insights. Check back soon!")}>
        {() => (
          <>
            {words('No articles found', 'Try adjusting your search criteria or browse all topics.')}
            <div className="mt-6">{clear}</div>
          </>
        )}
      </Show>
    </div>
  )
}
