import { ArrowLeft } from 'lucide-react'
import { useEffect } from 'react'
import { Navigate, useLocation, useParams } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { track } from '@/lib/analytics'
import { RequestError } from '@/lib/queries'
import { SITE_NAME, Seo, absolute } from '@/lib/seo'
import { ArticleView } from '@/ui/article-view'
import { ButtonLink } from '@/ui/button'
import { Link } from '@/ui/link'
import { PageLoading } from '@/ui/page-loading'
import { useMoved } from './api/find-moved'
import { type Article, useArticle } from './api/get-article'
import { useRelated } from './api/list-related'
import { ArticleActions } from './article-actions'
import { listQuery } from './list-state'
import { PostCard } from './post-card'

/** The table API's code for "not exactly one row". */
const NOT_FOUND = 'PGRST116'

export default function ArticlePage() {
  const { slug = '' } = useParams()
  const { hash, search } = useLocation()
  const { data: article, error } = useArticle(slug)
  const missing = error instanceof RequestError && error.code === NOT_FOUND
  const moved = useMoved(slug, missing)

  if (article) return <Found article={article} />
  if (moved.data) return <Navigate to={paths.article(moved.data) + search + hash} replace />
  if (!error || (missing && moved.isPending)) return <PageLoading label="Loading article..." />
  return <NotFound message={missing ? 'Article not found' : 'Failed to load article'} />
}

function BackLink() {
  return (
    <Link to={paths.insights} className="no-print inline-flex min-h-9 items-center gap-2 text-sm font-semibold text-harbor-700 hover:underline">
      <ArrowLeft aria-hidden="true" className="size-4" />
      Back to Insights
    </Link>
  )
}

function Found({ article }: { article: Article }) {
  const { id, title } = article
  useEffect(() => track('view_item', { item_id: id, item_name: title, item_category: 'article' }), [id, title])
  return (
    <>
      <Seo
        title={article.meta_title || title}
        description={article.meta_description || article.excerpt || title}
        path={paths.article(article.slug)}
        type="article"
        image={article.featured_image_url || undefined}
        jsonLd={[articleData(article)]}
      />
      <ArticleView
        article={article}
        before={<BackLink />}
        actions={<ArticleActions title={title} />}
        tagHref={(tag) => ({ pathname: paths.insights, search: listQuery({ search: '', tag, page: 1 }) })}
      />
      <div className="no-print container max-w-[54rem] pb-14">
        <div className="on-dark rounded-lg bg-harbor-950 p-7 text-harbor-100 sm:p-9">
          <h2 className="text-h3 text-white">Need help with medical waste at your facility?</h2>
          <p className="mt-2">Fair pricing, no long-term contracts, and a free waste audit for facilities in all six New England states.</p>
          <div className="mt-6 flex flex-wrap gap-3">
            <ButtonLink variant="gold" to={paths.quote}>
              Get Free Quote
            </ButtonLink>
            <ButtonLink variant="onDark" to={paths.contact}>
              Contact Us
            </ButtonLink>
          </div>
        </div>
      </div>
      <Related article={article} />
    </>
  )
}

function Related({ article }: { article: Article }) {
  const { data: posts = [] } = useRelated(article)
  if (posts.length === 0) return null
  return (
    <section aria-labelledby="related" className="no-print border-t border-granite-200 bg-granite-50 py-14">
      <div className="container">
        <h2 id="related" className="text-h2">
          Related articles
        </h2>
        <ul className="mt-7 grid gap-6 md:grid-cols-2 lg:grid-cols-3">
          {posts.map((post) => (
            <li key={post.id}>
              <PostCard post={post} level="h3" />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function NotFound({ message }: { message: string }) {
  return (
    <div className="container flex min-h-[60vh] flex-col items-start justify-center py-16">
      <Seo title="Article Not Found" description="The requested article could not be found." noindex />
      <h1 className="text-h1">Article Not Found</h1>
      <p className="mt-5 text-lead text-granite-600">{message || 'The requested article could not be found.'}</p>
      <div className="mt-8">
        <BackLink />
      </div>
    </div>
  )
}

function articleData(article: Article): object {
  return {
    '@type': 'Article',
    headline: article.title,
    description: article.meta_description || article.excerpt || undefined,
    image: article.featured_image_url ? [absolute(article.featured_image_url)] : undefined,
    datePublished: article.published_at,
    dateModified: article.updated_at,
    author: { '@type': 'Organization', name: article.author_name },
    publisher: { '@type': 'Organization', name: SITE_NAME, url: absolute('/') },
    mainEntityOfPage: absolute(paths.article(article.slug)),
    keywords: article.tags.join(', ') || undefined,
  }
}
