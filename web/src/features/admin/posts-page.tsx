import { ArrowDown, ArrowUp, CalendarDays, CircleCheck, FilePen, Files, type LucideIcon, Plus, Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import { paths } from '@/lib/paths'
import { useSearchParams } from 'react-router-dom'
import { Seo } from '@/lib/seo'
import { useDebouncedText } from '@/lib/use-debounced-text'
import { Button, ButtonLink } from '@/ui/button'
import { ConfirmDialog } from '@/ui/confirm-dialog'
import { Select } from '@/ui/input'
import { Pagination } from '@/ui/pagination'
import { SearchBox } from '@/ui/search-box'
import { Spinner } from '@/ui/spinner'
import { toast } from '@/ui/toast-store'
import { type PostAction, remove } from './actions'
import { type AllPosts, type PostRow, isOwnChange, reloadPosts, useAllPosts } from './api/list-posts'
import { BulkUploadDialog } from './bulk/bulk-upload-dialog'
import { BulkBar } from './posts/bulk-bar'
import { DEFAULT_SORTING, PAGE_SIZE, type PostListState, type Sorting, type Status, countPosts, filterPosts, parsePostListState, postListQuery, sortPosts, statusOptions } from './posts/post-filter'
import { COLUMNS, PostItem } from './posts/post-item'
import { useOwnPictures } from './pictures/own-pictures'
import { useLive } from './use-live'
import './admin.css'

const nothing: AllPosts = { posts: [], total: 0, complete: true }

export default function PostsPage() {
  const [uploading, setUploading] = useState(false)
  const { data = nothing, isPending, isError } = useAllPosts()

  useEffect(() => {
    if (isError) toast({ title: 'Error', description: 'Failed to fetch blog posts', variant: 'destructive' })
  }, [isError])

  return (
    <div className="min-h-svh bg-granite-50">
      <Seo title="Blog Administration" description="Manage your blog posts and content" noindex />
      <div className="container py-8 lg:py-10">
        <div className="flex flex-wrap items-end justify-between gap-5">
          <div>
            <h1 className="text-h2">Blog Administration</h1>
            <p className="mt-1.5 text-granite-600">Manage your blog posts and content</p>
            <ChangedPosts />
          </div>
          <div className="flex flex-wrap gap-2 sm:gap-3">
            <Button variant="outline" onClick={() => setUploading(true)}>
              <Upload aria-hidden="true" /> Bulk Upload
            </Button>
            <ButtonLink to={paths.admin.newPost}>
              <Plus aria-hidden="true" /> New Post
            </ButtonLink>
          </div>
        </div>
        <Figures {...data} />
        <PostList {...data} isPending={isPending} />
      </div>
      <BulkUploadDialog open={uploading} onClose={() => setUploading(false)} />
    </div>
  )
}

/** Reads the list again when somebody has written a post, and says so; what was done on this page needs no notice. */
function ChangedPosts() {
  const [changed, setChanged] = useState<Date | null>(null)
  useLive(['blog_posts'], () => {
    if (isOwnChange()) return
    setChanged(new Date())
    void reloadPosts()
  })
  return (
    <p role="status" className="mt-1.5 min-h-5 text-sm text-harbor-700">
      {changed === null ? '' : `Updated ${changed.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}: somebody changed a post`}
    </p>
  )
}

function Figures({ posts, total, complete }: AllPosts) {
  const { published, drafts, thisWeek } = countPosts(posts)
  // A figure that is still growing would be wrong.
  const counted = (value: number) => (complete ? value : '–')
  const cards: { label: string; value: number | string; Icon: LucideIcon }[] = [
    { label: 'Total Posts', value: total, Icon: Files },
    { label: 'Published', value: counted(published), Icon: CircleCheck },
    { label: 'Drafts', value: counted(drafts), Icon: FilePen },
    { label: 'This Week', value: counted(thisWeek), Icon: CalendarDays },
  ]
  return (
    <dl className="mt-6 grid grid-cols-2 gap-4 lg:grid-cols-4">
      {cards.map(({ label, value, Icon }) => (
        <div key={label} className="relative flex flex-col-reverse justify-end rounded-lg border border-granite-200 bg-white p-4 sm:pl-19">
          <dt className="text-sm text-granite-600">
            <span className="absolute top-1/2 left-5 hidden size-11 -translate-y-1/2 place-items-center rounded-lg bg-harbor-50 text-harbor-700 sm:grid">
              <Icon aria-hidden="true" className="size-5.5" />
            </span>
            {label}
          </dt>
          <dd className="font-display text-h2 leading-none font-bold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function PostList({ posts, total, complete, isPending }: AllPosts & { isPending: boolean }) {
  const [params, setParams] = useSearchParams()
  const state = parsePostListState(params)
  const go = (next: PostListState, replace = false) => setParams(postListQuery(next), { replace })
  const search = useDebouncedText(state.search, (words) => go({ ...state, search: words, page: 1 }, true))
  const { busy, asked, ask, confirm, cancel, own } = useActions()

  const found = sortPosts(filterPosts(posts, state), state.sort)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // A status chosen is a search, too: without drafts it would be wrong to say that there are no posts.
  const sorted = state.sort !== DEFAULT_SORTING
  const filtered = state.search.trim() !== '' || state.status !== 'all'
  // The newest posts are all that the first page needs; anything else needs all of them.
  const isLoading = isPending || (!complete && (filtered || sorted || state.page > 1))
  const count = complete ? found.length : total
  const lastPage = Math.max(1, Math.ceil(count / PAGE_SIZE))
  const page = Math.min(state.page, lastPage)
  const shown = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)

  return (
    <>
      <div className="mt-6 grid gap-4 sm:grid-cols-[1fr_14rem]">
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault()
            search.flush()
          }}
        >
          <SearchBox aria-label="Search posts" placeholder="Search posts..." value={search.text} onChange={(event) => search.setText(event.target.value)} />
        </form>
        <Select
          aria-label="Status"
          options={statusOptions}
          value={state.status}
          onChange={(event) => go({ ...state, status: event.target.value as Status, page: 1 })}
        />
      </div>

      <section aria-labelledby="all-posts" className="mt-6 rounded-lg border border-granite-200 bg-white">
        <div className="flex flex-wrap items-baseline justify-between gap-3 border-b border-granite-200 px-5 py-4 sm:px-6">
          <h2 id="all-posts" className="text-h3">
            All Posts
          </h2>
          {count > PAGE_SIZE ? (
            <p aria-live="polite" className="text-sm text-granite-600 tabular-nums">
              {(page - 1) * PAGE_SIZE + 1}–{(page - 1) * PAGE_SIZE + shown.length} of {count}
            </p>
          ) : null}
        </div>
        {isLoading ? (
          <p role="status" className="flex items-center justify-center gap-3 px-6 py-16 text-granite-600">
            <Spinner /> Loading posts...
          </p>
        ) : shown.length === 0 ? (
          <p className="px-6 py-16 text-center text-granite-600">
            {filtered ? 'No posts found matching your search.' : 'No blog posts yet. Create your first post!'}
          </p>
        ) : (
          <>
          <BulkBar posts={found.filter(({ id }) => chosen.has(id))} onDone={() => setChosen(new Set())} />
          <SortHead
            sort={state.sort}
            all={shown.every(({ id }) => chosen.has(id))}
            onAll={(all) => setChosen(new Set(all ? [...chosen, ...shown.map(({ id }) => id)] : []))}
            onSort={(sort) => go({ ...state, sort, page: 1 })}
          />
          <ul className="divide-y divide-granite-200">
            {shown.map((post) => (
              <li key={post.id}>
                <PostItem
                  post={post}
                  busy={busy.has(post.id)}
                  chosen={chosen.has(post.id)}
                  onChoose={({ id }, on) => setChosen(new Set(on ? [...chosen, id] : [...chosen].filter((other) => other !== id)))}
                  onAction={ask}
                />
              </li>
            ))}
          </ul>
          </>
        )}
      </section>
      <div className="mt-6">
        <Pagination page={page} lastPage={lastPage} hrefFor={(target) => ({ search: postListQuery({ ...state, page: target }) })} onNavigate={() => window.scrollTo(0, 0)} />
      </div>
      <ConfirmDialog
        open={asked !== null}
        title="Delete post"
        question={asked?.action.question?.(asked.post) ?? ''}
        confirmLabel={asked?.action.label ?? ''}
        busy={asked !== null && busy.has(asked.post.id)}
        onConfirm={confirm}
        onCancel={cancel}
      >
        {own.offer}
      </ConfirmDialog>
    </>
  )
}

interface SortHeadProps {
  sort: Sorting
  /** Whether all posts of the page are chosen. */
  all: boolean
  onAll: (all: boolean) => void
  onSort: (sort: Sorting) => void
}

/** Names the columns; each sorts by itself, and the other way round when it is pressed again. */
function SortHead({ sort, all, onAll, onSort }: SortHeadProps) {
  const column = (name: 'title' | 'author' | 'created' | 'published', label: string) => {
    const active = sort.replace('-', '') === name
    const down = sort.startsWith('-')
    return (
      <button
        type="button"
        aria-label={`Sort by ${label.toLowerCase()}${active ? (down ? ', now descending' : ', now ascending') : ''}`}
        onClick={() => onSort((active && !down ? `-${name}` : name) as Sorting)}
        className={`flex min-h-7 items-center gap-1 rounded-sm text-left hover:text-harbor-700 ${active ? 'text-harbor-700' : ''}`}
      >
        {label}
        {active ? down ? <ArrowDown aria-hidden="true" className="size-3.5" /> : <ArrowUp aria-hidden="true" className="size-3.5" /> : null}
      </button>
    )
  }
  return (
    <div className={`flex flex-wrap items-center gap-x-3 border-b border-granite-200 bg-granite-50 px-4 py-1.5 text-xs font-semibold text-granite-600 sm:px-5 lg:grid ${COLUMNS}`}>
      <input type="checkbox" aria-label="Select all on this page" checked={all} onChange={(event) => onAll(event.target.checked)} className="size-5 accent-harbor-700" />
      {column('title', 'Title')}
      {column('author', 'Author')}
      {column('created', 'Created')}
      {column('published', 'Published')}
    </div>
  )
}

/** Runs actions, those with a question only after it was answered. */
function useActions() {
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<{ action: PostAction; post: PostRow } | null>(null)

  const own = useOwnPictures(asked?.action === remove ? [asked.post.id] : [])

  const run = async (action: PostAction, post: PostRow) => {
    setBusy((current) => new Set(current).add(post.id))
    try {
      await action.run(post)
      if (action === remove) await own.finish()
      toast({ title: 'Success', description: action.success })
    } catch {
      toast({ title: 'Error', description: action.failure, variant: 'destructive' })
    } finally {
      setBusy((current) => new Set([...current].filter((id) => id !== post.id)))
    }
  }

  return {
    busy,
    asked,
    own,
    ask: (action: PostAction, post: PostRow) => {
      if (action.question) setAsked({ action, post })
      else void run(action, post)
    },
    confirm: () => {
      if (asked) void run(asked.action, asked.post).then(() => setAsked(null))
    },
    cancel: () => setAsked(null),
  }
}
