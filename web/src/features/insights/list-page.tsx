import { FileSearch } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { earlyText, resumeTyping } from '@/lib/early-text'
import { Seo, absolute } from '@/lib/seo'
import { useDelayedText } from '@/lib/use-delayed-text'
import { PageHero } from '@/parts/page-hero'
import { Button } from '@/ui/button'
import { Pagination } from '@/ui/pagination'
import { SearchBox } from '@/ui/search-box'
import { Spinner } from '@/ui/spinner'
import { PAGE_SIZE, type PostSummary } from './api/list-posts'
import { useTags } from './api/list-tags'
import { usePosts } from './api/use-posts'
import { type ListState, countLine, listQuery, parseListState } from './list-state'
import { PostCard } from './post-card'
import { TagFilter } from './tag-filter'

const SEARCH = 'search-articles'

const everything: ListState = { search: '', tag: '', page: 1 }

export default function InsightsPage() {
  return (
    <>
      <PageHero
        title="Insights"
        here="Insights"
        lead="Plain answers on medical and pharmaceutical waste, training and inspections, for the people who have to get it right in New England."
      />
      <PostList />
    </>
  )
}

function PostList() {
  const [params, setParams] = useSearchParams()
  const state = parseListState(params)
  const { data, isPending, isPlaceholderData, isError } = usePosts(state)
  const tags = useTags()

  const go = (next: ListState, replace = false) => setParams(listQuery(next), { replace })
  // Words arrive letter by letter; only the last of them deserves a place in the history.
  const [early] = useState(() => earlyText(SEARCH))
  const search = useDelayedText(state.search, (words) => go({ ...state, search: words, page: 1 }, true), early.text)
  useEffect(() => resumeTyping(SEARCH, early), [early])

  // A page that no longer exists was answered with the first one; the address should say so too.
  const misplaced = data !== undefined && !isPlaceholderData && data.page !== state.page
  useEffect(() => {
    if (misplaced) setParams(listQuery({ ...state, page: 1 }), { replace: true })
    // oxlint-disable-next-line react/exhaustive-deps -- once for each misplaced answer
  }, [misplaced])

  const posts = isError ? [] : (data?.posts ?? [])
  const count = isError ? 0 : (data?.count ?? 0)
  const lastPage = Math.ceil(count / PAGE_SIZE)
  const filtered = state.search !== '' || state.tag !== ''
  const clear = () => {
    search.reset('')
    go(everything)
  }

  // Every search would be another page with the same articles.
  const address = `${paths.insights}?${listQuery({ ...state, search: '' })}`.replace(/\?$/, '')

  return (
    <div className="container py-10 lg:py-14">
      <Seo
        title="Insights on Medical Waste Compliance"
        description="Articles on medical and pharmaceutical waste, OSHA and DOT rules, and state requirements for healthcare facilities in New England."
        path={address}
        noindex={state.search !== ''}
        feed={paths.feed}
        jsonLd={isPending ? [] : [listData(posts, address)]}
      />
      <div className="grid gap-5">
        <form
          role="search"
          action={paths.insights}
          className="max-w-2xl"
          onSubmit={(event) => {
            event.preventDefault()
            search.flush()
          }}
        >
          {/* What the browser itself would put back, after a reload, belongs to another search. */}
          <SearchBox
            id={SEARCH}
            name="search"
            autoComplete="off"
            aria-label="Search articles"
            placeholder="Search articles..."
            value={search.text}
            onChange={(event) => search.setText(event.target.value)}
          />
        </form>
        {/* `data-part`: where the server puts what it has read, see functions/render-insights. */}
        {tags.isPending ? (
          // Room for the topics while they load, so that they push nothing down.
          <div data-part="topics" className="min-h-64 sm:min-h-32 lg:min-h-20" />
        ) : (
          <div>
            <TagFilter tags={tags.data ?? []} active={state.tag} onChange={(tag) => go({ ...state, tag, page: 1 })} />
          </div>
        )}
      </div>

      <div aria-live="polite" className="mt-8 min-h-6 text-sm text-granite-600">
        {isPending ? (
          <p data-part="count" className="flex items-center gap-3">
            <Spinner /> Loading articles...
          </p>
        ) : posts.length > 0 ? (
          <p>{countLine(posts.length, count, state, lastPage)}</p>
        ) : null}
      </div>

      {isPending ? (
        // A screenful keeps the footer where it will be.
        <div data-part="posts" className="min-h-svh" />
      ) : posts.length > 0 ? (
        <>
          <ul aria-busy={isPlaceholderData} className="mt-5 grid gap-6 transition-opacity aria-busy:opacity-60 md:grid-cols-2 lg:grid-cols-3">
            {posts.map((post) => (
              <li key={post.id}>
                <PostCard post={post} />
              </li>
            ))}
          </ul>
          <div className="mt-12">
            <Pagination
              page={state.page}
              lastPage={lastPage}
              hrefFor={(page) => ({ search: listQuery({ ...state, page }) })}
              onNavigate={scrollUp}
            />
          </div>
        </>
      ) : (
        <Empty filtered={filtered} onClear={clear} />
      )}
    </div>
  )
}

/** Smoothly, unless the visitor wants less motion: what a script asks for, no style can stop. */
function scrollUp() {
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
  window.scrollTo({ top: 0, behavior: calm ? 'instant' : 'smooth' })
}

function Empty({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  return (
    <div className="mt-4 flex flex-col items-center rounded-lg border border-dashed border-granite-300 px-6 py-16 text-center">
      <FileSearch aria-hidden="true" className="size-12 text-harbor-400" />
      <h2 className="mt-4 text-h3">{filtered ? 'No articles found' : 'No articles yet'}</h2>
      <p className="mt-2 text-granite-600">
        {filtered ? 'Try adjusting your search criteria or browse all topics.' : "We're working on bringing you valuable insights. Check back soon!"}
      </p>
      {filtered ? (
        <div className="mt-6">
          <Button variant="outline" onClick={onClear}>
            Clear Filters
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function listData(posts: readonly PostSummary[], address: string): object {
  return {
    '@type': 'CollectionPage',
    name: 'Insights',
    url: absolute(address),
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
