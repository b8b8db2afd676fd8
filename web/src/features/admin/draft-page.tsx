import { Eye } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router-dom'
import { Seo } from '@/lib/seo'
import { ArticleBody } from '@/ui/article-body'
import { type ArticleContent, ArticleView } from '@/ui/article-view'
import { sectionsOf, sourcesOf } from '@/ui/outline'
import { PageLoading } from '@/ui/page-loading'
import { useArticleHtml } from '@/ui/use-article-html'
import { usePost } from './api/get-post'
import { NEW_POST } from './editor/draft-address'
import { type LocalDraft, draftKey, findLatestNewDraft, readDraft } from './editor/local-draft'
import { type PostForm, formOf, readingTimeOf } from './editor/post-form'
import './admin.css'

/** An article as readers would see it, unsaved changes of this device included; follows the editor in another tab. */
export default function DraftPage() {
  const { id = NEW_POST } = useParams()
  return id === NEW_POST ? <NewDraft /> : <StoredDraft id={id} />
}

function NewDraft() {
  const draft = useDraft(findLatestNewDraft)
  return draft ? <Shown form={draft.form} unsaved publishedAt={null} /> : <Nothing text="There is nothing to show yet. Write something in the editor." />
}

function StoredDraft({ id }: { id: string }) {
  const { data: post, isError } = usePost(id)
  const draft = useDraft(() => readDraft(draftKey(id)))
  if (isError) return <Nothing text="This post could not be loaded." />
  if (!post) return <PageLoading label="Loading post..." />
  return <Shown form={draft?.form ?? formOf(post, post.published)} unsaved={draft !== null} publishedAt={post.published_at} />
}

/** The draft as it is now, and again after each change that another tab writes. */
function useDraft(read: () => LocalDraft | null): LocalDraft | null {
  const [draft, setDraft] = useState(read)
  useEffect(() => {
    const follow = () => setDraft(read())
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  })
  return draft
}

function Nothing({ text }: { text: string }) {
  return (
    <div className="container min-h-[50vh] py-16">
      <Seo title="Draft - Admin" plainTitle description="View of a draft" noindex />
      <h1 className="text-h2">Draft</h1>
      <p className="mt-4 text-granite-600">{text}</p>
    </div>
  )
}

function Shown({ form, unsaved, publishedAt }: { form: PostForm; unsaved: boolean; publishedAt: string | null }) {
  const safe = useArticleHtml(form.content)
  return (
    <>
      <Seo title={`Draft: ${form.title} - Admin`} plainTitle description="View of a draft" noindex />
      <p className="no-print bg-gold-100 py-2.5 text-sm">
        <span className="container flex items-center gap-2.5">
          <Eye aria-hidden="true" className="size-5 shrink-0" />
          {unsaved ? 'Only you can see this: it includes unsaved changes of this device and follows the editor.' : 'This is the saved version. It follows the editor as you write.'}
        </span>
      </p>
      <ArticleView article={articleOf(form, publishedAt)} body={<ArticleBody safe={safe} />} sections={sectionsOf(safe)} sources={sourcesOf(safe)} />
    </>
  )
}

const articleOf = (form: PostForm, publishedAt: string | null): ArticleContent => ({
  title: form.title,
  excerpt: form.excerpt,
  author_name: form.authorName,
  published_at: publishedAt,
  reading_time_minutes: readingTimeOf(form.readingTime),
  featured_image_url: form.featuredImageUrl,
  tags: form.tags,
})
