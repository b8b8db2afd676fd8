import { For, Show } from '@/lib/control-flow'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { Icon } from '@/ui/icon'
import { Link } from '@/ui/link'
import { PublishedDate } from '@/ui/published-date'
import type { PostSummary } from './api/list-posts'
import { type TopicArt, artFor } from './topic-art'

const TAGS_SHOWN = 2

interface PostCardProps {
  post: PostSummary
  /** That of its heading: under a section's own heading a card comes one lower. */
  level?: 'h2' | 'h3'
  /** What stands for a picture where there is none. */
  art?: TopicArt
}

export function PostCard({ post, level: Heading = 'h2', art = artFor(post.tags) }: PostCardProps) {
  return (
    <article className="group relative flex h-full flex-col overflow-hidden rounded-lg border border-granite-200 bg-white transition-shadow hover:shadow-soft @2xl:flex-row">
      <Show when={post.featured_image_url} otherwise={<ArtPicture art={art} />}>
        {(url) => <img src={url} alt="" loading="lazy" className="h-44 w-full bg-granite-100 object-cover @2xl:h-auto @2xl:min-h-64 @2xl:w-1/2" />}
      </Show>
      <div className="flex flex-1 flex-col p-6 @2xl:p-9">
        <div className="flex flex-wrap gap-2">
          <For each={post.tags.slice(0, TAGS_SHOWN)}>
            {(tag) => (
              <Badge key={tag} tone="harbor">
                {tag}
              </Badge>
            )}
          </For>
        </div>
        <Heading className="mt-3 line-clamp-2 text-h3 break-words">
          {/* The link covers the card, so that the whole of it can be clicked and is still one link. */}
          <Link to={paths.article(post.slug)} className="group-hover:text-harbor-700 after:absolute after:inset-0">
            {post.title}
          </Link>
        </Heading>
        <Show when={post.excerpt}>{(excerpt) => <p className="mt-2.5 line-clamp-3 text-sm text-granite-600">{excerpt}</p>}</Show>
        <div className="mt-auto flex flex-wrap items-center gap-x-4 gap-y-1 pt-5 text-xs text-granite-600">
          <span>{post.author_name}</span>
          <Show when={post.published_at}>{(at) => <PublishedDate at={at} format="short" />}</Show>
          <span className="inline-flex items-center gap-1">
            <Icon name="clock" className="size-3.5" />
            {post.reading_time_minutes} min read
          </span>
        </div>
      </div>
    </article>
  )
}

function ArtPicture({ art: { drawing, icon } }: { art: TopicArt }) {
  return (
    <div className="relative h-32 overflow-hidden bg-harbor-50 @2xl:h-auto @2xl:min-h-64 @2xl:w-1/2">
      <img src={drawing} alt="" width="380" height="128" loading="lazy" className="size-full object-cover object-right" />
      <span className="absolute bottom-4 left-6 grid size-12 place-items-center rounded-md bg-harbor-900 text-gold-400">
        <Icon name={icon} className="size-6" />
      </span>
    </div>
  )
}
