import { ArrowLeft, BookOpen, ExternalLink, History, Images } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { paths } from '@/lib/paths'
import { textOf } from '@/lib/html'
import { useNavigate, useParams } from 'react-router-dom'
import { Seo } from '@/lib/seo'
import { Button, ButtonLink, buttonClass } from '@/ui/button'
import { ErrorSummary } from '@/ui/error-summary'
import { Field } from '@/ui/field'
import { Input, Textarea } from '@/ui/input'
import { PageLoading } from '@/ui/page-loading'
import { Switch } from '@/ui/switch'
import { toast } from '@/ui/toast-store'
import { versionFor } from '@/lib/pictures'
import { usePost } from './api/get-post'
import { ContentField } from './editor/content-field'
import { NEW_POST } from './editor/draft-address'
import { type Post, type PostForm, withTitle } from './editor/post-form'
import { SharePreview } from './editor/share-preview'
import { RevisionsDialog } from './editor/revisions-dialog'
import { ConflictDialog, GoneDialog, LeaveDialog, RestoreDialog } from './editor/save-dialogs'
import { TagsField } from './editor/tags-field'
import { type PostEditor, usePostEditor } from './editor/use-post-editor'
import { PictureDialog } from './pictures/picture-dialog'
import { measure } from './text'
import './admin.css'

const META_TITLE_HINT = 60
const META_DESCRIPTION_HINT = 160

export default function EditorPage() {
  const { id } = useParams()
  return id === undefined ? <Editor key="new" post={null} /> : <StoredPost key={id} id={id} />
}

function StoredPost({ id }: { id: string }) {
  const { data: post, isError, refetch } = usePost(id)
  useEffect(() => {
    if (isError) toast({ title: 'Error', description: 'Failed to fetch blog post', variant: 'destructive' })
  }, [isError])
  if (post) return <Editor post={post} />
  if (!isError) return <PageLoading label="Loading post..." />
  return (
    <div className="container flex min-h-[60vh] flex-col items-start justify-center gap-6 py-16">
      <Seo title="Blog Post - Admin" plainTitle description="Edit a blog post" noindex />
      <h1 className="text-h2">This post could not be loaded</h1>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => void refetch()}>Try Again</Button>
        <BackLink />
      </div>
    </div>
  )
}

function BackLink() {
  return (
    <ButtonLink to={paths.admin.posts} variant="outline" size="sm">
      <ArrowLeft aria-hidden="true" /> Back to Admin
    </ButtonLink>
  )
}

function Editor({ post }: { post: Post | null }) {
  const navigate = useNavigate()
  const editor = usePostEditor(post, () => navigate(paths.admin.posts))
  const { isNew, form } = editor
  const name = isNew ? 'New Blog Post' : `Edit: ${form.title}`
  return (
    <div className="min-h-svh bg-granite-50 max-md:pb-16">
      <Seo title={`${name} - Admin`} plainTitle description="Write and publish articles" noindex />
      <TopBar editor={editor} post={post} />
      <div className="container py-6 lg:py-8">
        <h1 className="mb-6 text-h3 break-words">{name}</h1>
        <Refusal editor={editor} />
        <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
          <div className="grid content-start gap-6">
            <ContentCard editor={editor} />
            <SeoCard editor={editor} />
          </div>
          <div className="grid content-start gap-6">
            <PublishingCard editor={editor} />
            <ImageCard editor={editor} />
            <Panel title="Tags">
              <div data-field="tags">
                <TagsField tags={form.tags} error={editor.errors.tags} onChange={(tags) => editor.change({ tags })} />
              </div>
            </Panel>
          </div>
        </div>
      </div>
      <Dialogs editor={editor} />
    </div>
  )
}

const LABELS: Partial<Record<keyof PostForm, string>> = {
  title: 'Title',
  slug: 'URL Slug',
  excerpt: 'Excerpt',
  content: 'Content',
  metaTitle: 'Meta Title',
  metaDescription: 'Meta Description',
  authorName: 'Author',
  featuredImageUrl: 'Featured Image URL',
  tags: 'Tags',
}

/** Brings a field to where it is seen, clear of the bar above, and the cursor into it. */
function showField(name: string): void {
  const control = document.querySelector<HTMLElement>(`[data-field="${name}"] :is(input, textarea, [role="textbox"])`)
  control?.scrollIntoView({ block: 'center' })
  control?.focus({ preventScroll: true })
}

/** Why the last save was refused, and the way to the fields it is about; the first one is gone to at once. */
function Refusal({ editor: { errors, refusal, refusals } }: { editor: PostEditor }) {
  const names = Object.keys(LABELS).filter((name) => errors[name as keyof PostForm] !== undefined)
  const [first] = names
  useEffect(() => {
    if (refusals === 0) return
    if (first) showField(first)
    // The field of a message that the writer is mending must not take the cursor again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [refusals])
  const entries = names.map((name) => ({ label: LABELS[name as keyof PostForm] ?? '', message: errors[name as keyof PostForm] ?? '', onSelect: () => showField(name) }))
  return <ErrorSummary entries={entries.length === 0 && refusal !== '' ? [{ label: '', message: refusal }] : entries} focus={first === undefined} />
}

function TopBar({ editor, post }: { editor: PostEditor; post: Post | null }) {
  const { stored, saving } = editor
  const [history, setHistory] = useState(false)
  return (
    <div className="top-0 z-20 border-b border-granite-200 bg-white md:sticky">
      <div className="container flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
        <BackLink />
        <SaveState editor={editor} />
        <div className="flex flex-wrap items-center gap-x-2 gap-y-2 max-md:-mx-3 max-md:w-full max-md:gap-x-0 max-sm:[&_svg]:hidden md:ml-auto md:justify-end">
          {post ? (
            <Button variant="quiet" size="sm" onClick={() => setHistory(true)}>
              <History aria-hidden="true" /> History
            </Button>
          ) : null}
          {post ? <SharePreview postId={post.id} /> : null}
          <a href={paths.admin.draft(post?.id ?? NEW_POST)} target="_blank" rel="noopener" className={buttonClass({ variant: 'quiet', size: 'sm' })}>
            <BookOpen aria-hidden="true" /> View as reader
          </a>
          {stored.published && stored.slug !== '' ? (
            <a href={paths.article(stored.slug)} target="_blank" rel="noopener" className={buttonClass({ variant: 'outline', size: 'sm' })}>
              <ExternalLink aria-hidden="true" /> Preview
            </a>
          ) : null}
        </div>
        {/* On a phone under the thumb, however far down the text one is. */}
        <div className="phone-bar flex gap-2 max-md:[&_button]:min-h-11 max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-30 max-md:grid max-md:grid-cols-2 max-md:border-t max-md:border-granite-200 max-md:bg-white max-md:px-3 max-md:pt-2 max-md:pb-[max(0.5rem,env(safe-area-inset-bottom))]">
          <Button variant="outline" size="sm" busy={saving === 'draft'} disabled={saving !== null} onClick={() => editor.save(false)}>
            Save Draft
          </Button>
          <Button size="sm" busy={saving === 'publish'} disabled={saving !== null} onClick={() => editor.save(true)}>
            Publish
          </Button>
        </div>
      </div>
      {post ? (
        <RevisionsDialog
          postId={post.id}
          open={history}
          form={editor.form}
          onClose={() => setHistory(false)}
          onRestore={(earlier) => {
            setHistory(false)
            editor.load(earlier)
          }}
        />
      ) : null}
    </div>
  )
}

const timeOfDay = (at: number) => new Date(at).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })

function SaveState({ editor: { saving, dirty, kept } }: { editor: PostEditor }) {
  const text = () => {
    if (saving) return 'Saving...'
    if (!dirty) return ''
    if (kept === 'failed') return 'Unsaved changes. This browser cannot keep them for you.'
    return kept === null ? 'Unsaved changes' : `Unsaved changes, kept on this device at ${timeOfDay(kept)}`
  }
  return (
    <p role="status" className="text-sm text-granite-600">
      {text()}
    </p>
  )
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="rounded-lg border border-granite-200 bg-white p-5 sm:p-6">
      <h2 className="mb-5 text-h4">{title}</h2>
      <div className="grid gap-5">{children}</div>
    </section>
  )
}

function ContentCard({ editor }: { editor: PostEditor }) {
  const { form, errors, isNew, change, documentId } = editor
  return (
    <Panel title="Content">
      <Field name="title" label="Title" required error={errors.title}>
        {(control) => <Input {...control} value={form.title} onChange={(event) => change(withTitle(form, event.target.value, isNew))} />}
      </Field>
      <Field name="slug" label="URL Slug" error={errors.slug} hint={form.slug === '' ? 'The last part of the address.' : paths.article(form.slug)}>
        {(control) => <Input {...control} value={form.slug} onChange={(event) => change({ slug: event.target.value })} />}
      </Field>
      <Field name="excerpt" label="Excerpt" error={errors.excerpt}>
        {(control) => <Textarea {...control} rows={3} value={form.excerpt} onChange={(event) => change({ excerpt: event.target.value })} />}
      </Field>
      <div data-field="content">
        <ContentField html={form.content} error={errors.content} documentId={documentId} onChange={(content) => change({ content })} />
      </div>
    </Panel>
  )
}

const counted = (text: string, recommended: number) => `${text.length}/${recommended} characters`

function SeoCard({ editor: { form, errors, change } }: { editor: PostEditor }) {
  return (
    <Panel title="SEO">
      <Field name="metaTitle" label="Meta Title" error={errors.metaTitle} hint={counted(form.metaTitle, META_TITLE_HINT)}>
        {(control) => <Input {...control} value={form.metaTitle} onChange={(event) => change({ metaTitle: event.target.value })} />}
      </Field>
      <Field name="metaDescription" label="Meta Description" error={errors.metaDescription} hint={counted(form.metaDescription, META_DESCRIPTION_HINT)}>
        {(control) => <Textarea {...control} rows={3} value={form.metaDescription} onChange={(event) => change({ metaDescription: event.target.value })} />}
      </Field>
    </Panel>
  )
}

function PublishingCard({ editor: { form, errors, change } }: { editor: PostEditor }) {
  // Counting words must not slow typing down.
  const content = useDeferredValue(form.content)
  const { minutes, words, grade } = useMemo(() => measure(textOf(content)), [content])
  // At the time it was typed; whether it is still to come is looked at again when it is saved.
  const later = form.publishAt === '' ? null : new Date(form.publishAt)
  return (
    <Panel title="Publishing">
      <Field
        label="Publish At"
        hint={later ? `Once published, it appears on ${later.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' })}.` : 'Leave it empty to publish at once.'}
      >
        {(control) => <Input {...control} type="datetime-local" value={form.publishAt} onChange={(event) => change({ publishAt: event.target.value })} />}
      </Field>
      <Switch label="Published" checked={form.published} onChange={(published) => change({ published })} />
      <Field name="authorName" label="Author" error={errors.authorName}>
        {(control) => <Input {...control} value={form.authorName} onChange={(event) => change({ authorName: event.target.value })} />}
      </Field>
      <Field label="Reading Time (minutes)" hint={`By its length: ${minutes} min`}>
        {(control) => <Input {...control} type="number" min={1} step={1} value={form.readingTime} onChange={(event) => change({ readingTime: event.target.value })} />}
      </Field>
      <dl aria-label="About the text" className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md bg-granite-50 p-3 text-sm">
        <dt className="text-granite-600">Words</dt>
        <dd className="text-right font-semibold tabular-nums">{words.toLocaleString('en-US')}</dd>
        <dt className="text-granite-600">Reads</dt>
        <dd className="text-right font-semibold">{grade}</dd>
      </dl>
    </Panel>
  )
}

/** How wide it is shown at most, which a card and a page of others need no more of either. */
const FEATURED_WIDTH = 900

function ImageCard({ editor: { form, errors, change } }: { editor: PostEditor }) {
  const [choosing, setChoosing] = useState(false)
  return (
    <Panel title="Featured Image">
      <Field name="featuredImageUrl" label="Featured Image URL" error={errors.featuredImageUrl}>
        {(control) => (
          <Input {...control} type="url" inputMode="url" placeholder="https://" value={form.featuredImageUrl} onChange={(event) => change({ featuredImageUrl: event.target.value })} />
        )}
      </Field>
      {/^(https:\/\/|\/)/.test(form.featuredImageUrl) ? (
        <img key={form.featuredImageUrl} src={form.featuredImageUrl} alt="" className="aspect-[16/9] w-full rounded-md bg-granite-100 object-cover" />
      ) : null}
      <Button variant="outline" onClick={() => setChoosing(true)}>
        <Images aria-hidden="true" /> Choose from the library
      </Button>
      <PictureDialog
        open={choosing}
        title="Featured image"
        onClose={() => setChoosing(false)}
        onChoose={({ address }) => {
          change({ featuredImageUrl: versionFor(address, FEATURED_WIDTH) })
          setChoosing(false)
        }}
      />
    </Panel>
  )
}

function Dialogs({ editor }: { editor: PostEditor }) {
  const busy = editor.saving !== null
  return (
    <>
      <RestoreDialog draft={editor.offered} stored={editor.stored} version={editor.version} onRestore={editor.restore} onDiscard={editor.discard} />
      <ConflictDialog
        theirs={editor.conflict}
        mine={editor.form}
        busy={busy}
        onKeepEditing={editor.keepEditing}
        onTakeTheirs={editor.takeTheirs}
        onOverwrite={editor.overwrite}
      />
      <GoneDialog open={editor.gone} busy={busy} onKeepEditing={editor.keepEditing} onSaveAsNew={editor.saveAsNew} />
      <LeaveDialog open={editor.guard.asking} onStay={editor.guard.stay} onLeave={editor.guard.leave} />
    </>
  )
}
