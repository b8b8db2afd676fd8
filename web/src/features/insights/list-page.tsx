import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { earlyText, resumeTyping } from '@/lib/early-text'
import { Seo } from '@/lib/seo'
import { hasServerData } from '@/lib/server-data'
import { useAlive } from '@/lib/use-alive'
import { useDebouncedText } from '@/lib/use-debounced-text'
import { expectQuestion } from '@/lib/use-late-query'
import { Button } from '@/ui/button'
import { Pagination } from '@/ui/pagination'
import { SearchBox } from '@/ui/search-box'
import { PAGE_SIZE } from './api/list-posts'
import { useTags } from './api/list-tags'
import { usePosts } from './api/use-posts'
import { ListView, searchField } from './list-view'
import { type ListState, listAddress, listQuery, parseListState } from './list-state'
import { listNames, listSeoOf } from './seo'
import { TopicLinks, TOPICS_SHOWN, allTopicsClass, topicLinks } from './topics'

const everything: ListState = { search: '', tag: '', page: 1 }

// Whoever comes from another page brought no articles along.
if (typeof document !== 'undefined' && !hasServerData('list-data')) expectQuestion()

export default function InsightsPage() {
  const [params, setParams] = useSearchParams()
  const state = parseListState(params)
  const { data, isPending, isPlaceholderData, isError } = usePosts(state)
  const tags = useTags()

  const go = (next: ListState, replace = false) => setParams(listQuery(next), { replace })
  // Words arrive letter by letter; only the last of them deserves a place in the history.
  const [early] = useState(() => earlyText(searchField.id))
  const search = useDebouncedText(state.search, (words) => go({ ...state, search: words, page: 1 }, true), early.text)
  useEffect(() => resumeTyping(searchField.id, early), [early])

  // A page that no longer exists was answered with the first one; the address should say so too.
  const misplaced = data !== undefined && !isPlaceholderData && data.page !== state.page
  useEffect(() => {
    if (misplaced) setParams(listQuery({ ...state, page: 1 }), { replace: true })
    // oxlint-disable-next-line react/exhaustive-deps -- once for each misplaced answer
  }, [misplaced])

  const posts = isError ? [] : (data?.posts ?? [])
  const count = isError ? 0 : (data?.count ?? 0)
  const lastPage = Math.ceil(count / PAGE_SIZE)
  const clear = () => {
    search.reset('')
    go(everything)
  }

  return (
    <>
      <Seo {...listSeoOf(state, isPending ? undefined : posts)} />
      <ListView
        {...state}
        heading={listNames(state).heading}
        lastPage={lastPage}
        several={lastPage > 1}
        filtered={state.search !== '' || state.tag !== ''}
        posts={posts}
        shown={posts.length}
        total={count}
        pending={isPending}
        busy={isPlaceholderData}
        searchBox={<SearchBox {...searchField} value={search.text} onFocus={expectQuestion} onChange={(event) => search.setText(event.target.value)} />}
        onSearch={(event) => {
          event.preventDefault()
          search.flush()
        }}
        topics={tags.isPending ? null : <Topics tags={tags.data ?? []} state={state} />}
        pagination={<Pagination page={state.page} lastPage={lastPage} hrefFor={(page) => listAddress({ ...state, page })} onNavigate={scrollUp} />}
        clear={
          <Button variant="outline" onClick={clear}>
            Clear Filters
          </Button>
        }
      />
    </>
  )
}

/** As the server drew them, then as buttons; the elements stay, so that none is taken from under a finger. */
function Topics({ tags, state }: { tags: readonly string[]; state: ListState }) {
  const alive = useAlive()
  const [all, setAll] = useState(false)
  return (
    <TopicLinks topics={topicLinks(tags, state, all ? tags.length : TOPICS_SHOWN)} buttons={alive}>
      {alive && tags.length > TOPICS_SHOWN ? (
        <button type="button" onClick={() => setAll(!all)} className={allTopicsClass}>
          {all ? 'Fewer topics' : `All ${tags.length} topics`}
        </button>
      ) : null}
    </TopicLinks>
  )
}

/** Smoothly, unless the visitor wants less motion: what a script asks for, no style can stop. */
function scrollUp() {
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
  window.scrollTo({ top: 0, behavior: calm ? 'instant' : 'smooth' })
}
