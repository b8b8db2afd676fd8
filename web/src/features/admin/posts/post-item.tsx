import { ExternalLink, Pencil, Trash2 } from 'lucide-react'
import { paths } from '@/lib/paths'
import { shortDate } from '@/lib/dates'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Link } from '@/ui/link'
import { type PostAction, publish, remove, unpublish } from '../actions'
import type { PostRow } from '../api/list-posts'

const TAGS_SHOWN = 2

interface PostItemProps {
  post: PostRow
  /** An action on this post is under way. */
  busy: boolean
  onAction: (action: PostAction, post: PostRow) => void
}

export function PostItem({ post, busy, onAction }: PostItemProps) {
  const toggle = post.published ? unpublish : publish
  return (
    <article className="flex flex-col gap-4 px-5 py-5 sm:px-6 lg:flex-row lg:items-start">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h3 className="text-h4 break-words">{post.title}</h3>
          <Badge tone={post.published ? 'success' : 'gold'}>{post.published ? 'Published' : 'Draft'}</Badge>
          {post.tags.slice(0, TAGS_SHOWN).map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </div>
        {post.excerpt ? <p className="mt-2 line-clamp-2 max-w-[80ch] text-sm text-granite-600">{post.excerpt}</p> : null}
        <p className="mt-2.5 flex flex-wrap gap-x-4 gap-y-1 text-xs text-granite-600">
          <span>By {post.author_name}</span>
          <span>Created {shortDate(post.created_at)}</span>
          {post.published_at ? <span>Published {shortDate(post.published_at)}</span> : null}
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-1.5">
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

const iconButton = 'grid size-10 place-items-center rounded-md text-granite-600 hover:bg-harbor-50 hover:text-harbor-700 disabled:opacity-50 [&_svg]:size-5'
