import { useEffect, useState } from 'react'
import { Navigate, useLocation, useParams } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { track } from '@/lib/analytics'
import { RequestError } from '@/lib/results'
import { Seo } from '@/lib/seo'
import { hasServerData } from '@/lib/server-data'
import { useAlive } from '@/lib/use-alive'
import { expectQuestion } from '@/lib/use-late-query'
import { whenVisible } from '@/lib/when-visible'
import { ArticleBody } from '@/ui/article-body'
import { sectionsOf, sourcesOf } from '@/ui/outline'
import { PageLoading } from '@/ui/page-loading'
import { useMoved } from './api/find-moved'
import { type Article, type ReadableArticle, useArticle } from './api/get-article'
import { useRelated } from './api/list-related'
import { ArticleActions, ArticleActionsPlaceholder } from './article-actions'
import { ArticleMissing, ArticlePageView } from './article-page-view'
import { PostCard } from './post-card'
import { articleSeo } from './seo'

/** The table API's code for "not exactly one row". */
const NOT_FOUND = 'PGRST116'

// Whoever comes from another page brought no article along.
if (typeof document !== 'undefined' && !hasServerData('post-data')) expectQuestion()

export default function ArticlePage() {
  const { slug = '' } = useParams()
  const { hash, search } = useLocation()
  const { data: found, error } = useArticle(slug)
  const missing = error instanceof RequestError && error.code === NOT_FOUND
  const moved = useMoved(slug, missing)

  if (found) return <Found {...found} />
  if (moved.data) return <Navigate to={paths.article(moved.data) + search + hash} replace />
  if (!error || (missing && moved.isPending)) return <PageLoading label="Loading article..." />
  return <ArticleMissing message={missing ? 'Article not found' : 'Failed to load article'} />
}

function Found({ article, safe, served }: ReadableArticle) {
  const { id, title } = article
  useEffect(() => track('view_item', { item_id: id, item_name: title, item_category: 'article' }), [id, title])
  return (
    <>
      <Seo {...articleSeo(article)} />
      <ArticlePageView article={article} body={<ArticleBody safe={safe} served={served} />} sections={sectionsOf(safe)} sources={sourcesOf(safe)} actions={<Actions title={title} />} />
      <Related article={article} />
    </>
  )
}

/** By itself, so that the article need not be drawn twice for it. */
function Actions({ title }: { title: string }) {
  return useAlive() ? <ArticleActions title={title} /> : <ArticleActionsPlaceholder />
}

const PLACE = 'related-place'

function Related({ article }: { article: Article }) {
  // Asked for when the end of the article comes near: whoever only begins to read need not load what asks.
  const [near, setNear] = useState(false)
  useEffect(() => {
    let current = true
    void whenVisible(PLACE).then(() => current && setNear(true))
    return () => {
      current = false
    }
  }, [])
  const { data: posts = [] } = useRelated(article, near)
  if (posts.length === 0) return <div id={PLACE} />
  return (
    <section aria-labelledby="related" className="no-print border-t border-granite-200 bg-granite-50 py-14">
      <div className="container">
        <h2 id="related" className="text-h2">
          Related articles
        </h2>
        <ul className="mt-7 grid gap-6 md:grid-cols-2 lg:grid-cols-3 no-orphan">
          {posts.map((post) => (
            <li key={post.id} className="@container">
              <PostCard post={post} level="h3" />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
