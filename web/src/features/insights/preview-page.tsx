import { useEffect, useState } from 'react'
import { useParams } from 'react-router-dom'
import { lazyClient } from '@/lib/lazy-client'
import { Seo } from '@/lib/seo'
import { ArticleBody } from '@/ui/article-body'
import { ArticleView } from '@/ui/article-view'
import { sectionsOf, sourcesOf } from '@/ui/outline'
import { PageLoading } from '@/ui/page-loading'
import { useArticleHtml } from '@/ui/use-article-html'
import type { Article } from './api/get-article'

/** A post as it is stored, published or not, for whoever was given the link. */
export default function PreviewPage() {
  const { token = '' } = useParams()
  const [post, setPost] = useState<Article | null>()
  useEffect(() => {
    let current = true
    const read = async () => {
      const client = await lazyClient()
      const { data } = await client.rpc('preview_post', { token })
      if (current) setPost((data as Article | null) ?? null)
    }
    read().catch(() => current && setPost(null))
    return () => {
      current = false
    }
  }, [token])
  if (post === undefined) return <PageLoading label="Loading article..." />
  if (post) return <Shown post={post} />
  return (
    <div className="container flex min-h-[60vh] flex-col items-start justify-center py-16">
      <Seo title="Preview Not Found" description="This preview link does not work any more." noindex />
      <h1 className="text-h1">Preview Not Found</h1>
      <p className="mt-5 text-lead text-granite-600">This link has expired, or was never one. Ask whoever sent it for a new one.</p>
    </div>
  )
}

function Shown({ post }: { post: Article }) {
  const safe = useArticleHtml(post.content)
  return (
    <>
      <Seo title={`Preview: ${post.title}`} plainTitle description="A preview of an article" noindex />
      <p className="no-print bg-gold-100 py-2.5 text-sm">
        <span className="container block">This is a preview, not published here. Please do not pass it on.</span>
      </p>
      <ArticleView article={post} body={<ArticleBody safe={safe} />} sections={sectionsOf(safe)} sources={sourcesOf(safe)} />
    </>
  )
}
