import { ExternalLink, Pencil, Trash2 } from 'lucide-react'
import { paths } from '@/lib/paths'
import { shortDate } from '@/lib/dates'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Link } from '@/ui/link'
import { type PostAction, publish, remove, unpublish } from '../actions'
import type { PostRow } from '../api/list-posts'
import { isScheduled } from './post-filter'

const TAGS_SHOWN = 2

interface PostItemProps {
  post: PostRow
  /** An action on this post is under way. */
  busy: boolean
  chosen: boolean
  onChoose: (post: PostRow, chosen: boolean) => void
  onAction: (action: PostAction, post: PostRow) => void
}

/** The columns of the list, for its head too. */
export const COLUMNS = 'lg:grid-cols-[1.25rem_minmax(0,1fr)_10rem_8.5rem_10rem_12.75rem]'

export function PostItem({ post, busy, chosen, onChoose, onAction }: PostItemProps) {
  const toggle = post.published ? unpublish : publish
  const scheduled = isScheduled(post)
  return (
    <article className={`grid grid-cols-[1.25rem_minmax(0,1fr)] items-start gap-x-3 sm:grid-cols-[1.25rem_minmax(0,1fr)_auto] gap-y-1 px-4 py-2.5 hover:bg-granite-50 sm:px-5 ${COLUMNS}`}>
      <input type="checkbox" aria-label={`Select ${post.title}`} checked={chosen} disabled={busy} onChange={(event) => onChoose(post, event.target.checked)} className="mt-0.5 size-5 accent-harbor-700" />
      <div className="min-w-0 sm:max-lg:col-span-2">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h3 className="text-base leading-snug text-wrap break-words">{post.title}</h3>
          <Badge tone={post.published ? 'success' : 'gold'}>{post.published ? 'Published' : 'Draft'}</Badge>
          {scheduled ? <Badge tone="harbor">Scheduled</Badge> : null}
          {post.tags.slice(0, TAGS_SHOWN).map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </div>
        {post.excerpt ? <p className="mt-0.5 line-clamp-2 max-w-[90ch] text-xs text-granite-600">{post.excerpt}</p> : null}
      </div>
      <div className="col-start-2 flex flex-wrap gap-x-4 text-xs text-granite-600 sm:max-lg:self-center lg:contents">
        <p className="truncate lg:pt-1">By {post.author_name}</p>
        <p className="lg:pt-1">Created {shortDate(post.created_at)}</p>
        <p className="lg:pt-1">{post.published_at ? `${scheduled ? 'Appears' : 'Published'} ${shortDate(post.published_at)}` : null}</p>
      </div>
      <div className="col-start-2 flex items-center gap-1 max-sm:-ml-2 sm:col-start-3 lg:col-start-auto lg:justify-end">
        {post.published ? (
          <a href={paths.article(post.slug)} target="_blank" rel="noopener" aria-label={`View ${post.title}`} title="View" className={iconButton}>
            <ExternalLink aria-hidden="true" />
          </a>
        ) : null}
        <Link to={paths.admin.post(post.id)} aria-label={`Edit ${post.title}`} title="Edit" className={iconButton}>
          <Pencil aria-hidden="true" />
        </Link>
        <Button variant="outline" size="sm" busy={busy} aria-label={`${toggle.label} ${post.title}`} onClick={() => onAction(toggle, post)}>
          {toggle.label}
        </Button>
        <button type="button" disabled={busy} aria-label={`Delete ${post.title}`} title="Delete" onClick={() => onAction(remove, post)} className={`${iconButton} hover:bg-danger-50 hover:text-danger`}>
          <Trash2 aria-hidden="true" />
        </button>
      </div>
    </article>
  )
}

const iconButton = 'grid size-9 place-items-center rounded-md text-granite-600 hover:bg-harbor-50 hover:text-harbor-700 disabled:opacity-50 [&_svg]:size-5'
