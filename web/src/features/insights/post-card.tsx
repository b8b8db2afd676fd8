import { Clock } from 'lucide-react'
import { paths } from '@/lib/paths'
import { shortDate } from '@/lib/dates'
import { Badge } from '@/ui/badge'
import { Icon } from '@/ui/icon'
import { Link } from '@/ui/link'
import type { PostSummary } from './api/list-posts'
import { artFor } from './topic-art'

const TAGS_SHOWN = 2

/** `level` is that of its heading: under a section's own heading a card comes one lower. */
export function PostCard({ post, level: Heading = 'h2' }: { post: PostSummary; level?: 'h2' | 'h3' }) {
  return (
    <article className="group relative flex h-full flex-col overflow-hidden rounded-lg border border-granite-200 bg-white transition-shadow hover:shadow-soft">
      <PostPicture url={post.featured_image_url} tags={post.tags} />
      <div className="flex flex-1 flex-col p-6">
        <div className="flex flex-wrap gap-2">
          {post.tags.slice(0, TAGS_SHOWN).map((tag) => (
            <Badge key={tag} tone="harbor">
              {tag}
            </Badge>
          ))}
        </div>
        <Heading className="mt-3 line-clamp-2 text-h3 break-words">
          {/* The link covers the card, so that the whole of it can be clicked and is still one link. */}
          <Link to={paths.article(post.slug)} className="group-hover:text-harbor-700 after:absolute after:inset-0">
            {post.title}
          </Link>
        </Heading>
        {post.excerpt ? <p className="mt-2.5 line-clamp-3 text-sm text-granite-600">{post.excerpt}</p> : null}
        <div className="mt-auto flex flex-wrap items-center gap-x-4 gap-y-1 pt-5 text-xs text-granite-600">
          <span>{post.author_name}</span>
          {post.published_at ? <time dateTime={post.published_at}>{shortDate(post.published_at)}</time> : null}
          <span className="inline-flex items-center gap-1">
            <Clock aria-hidden="true" className="size-3.5" />
            {post.reading_time_minutes} min read
          </span>
        </div>
      </div>
    </article>
  )
}

function PostPicture({ url, tags }: { url: string | null; tags: readonly string[] }) {
  if (url) return <img src={url} alt="" loading="lazy" className="h-44 w-full bg-granite-100 object-cover" />
  const { drawing, icon } = artFor(tags)
  return (
    <div className="relative h-32 overflow-hidden bg-harbor-50">
      <img src={drawing} alt="" width="380" height="128" loading="lazy" className="size-full object-cover object-right" />
      <span className="absolute bottom-4 left-6 grid size-12 place-items-center rounded-md bg-harbor-900 text-gold-400">
        <Icon name={icon} className="size-6" />
      </span>
    </div>
  )
}
