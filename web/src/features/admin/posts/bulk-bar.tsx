import { type FormEvent, useState } from 'react'
import { Button } from '@/ui/button'
import { ConfirmDialog } from '@/ui/confirm-dialog'
import { Dialog, DialogActions } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Input } from '@/ui/input'
import { toast } from '@/ui/toast-store'
import { deletePost } from '../api/delete-post'
import type { PostRow } from '../api/list-posts'
import { addTag } from '../api/add-tag'
import { setStatus } from '../api/set-status'
import { useOwnPictures } from '../pictures/own-pictures'

interface BulkBarProps {
  posts: readonly PostRow[]
  onDone: () => void
}

/** What can be done to all chosen posts at once. Each is done by itself: one that fails stops none of the others. */
export function BulkBar(props: BulkBarProps) {
  return props.posts.length === 0 ? null : <Bar {...props} />
}

function Bar({ posts, onDone }: BulkBarProps) {
  const [busy, setBusy] = useState(false)
  const [asking, setAsking] = useState<'delete' | 'tag' | null>(null)
  const own = useOwnPictures(asking === 'delete' ? posts.map(({ id }) => id) : [])

  /** One that is already as it should be is left as it is, and not counted as done. */
  const runAll = async (done: string, act: (post: PostRow) => Promise<void>, { due = () => true, finish }: { due?: (post: PostRow) => boolean; finish?: () => Promise<void> } = {}) => {
    setBusy(true)
    const chosen = posts.filter(due)
    let failed = 0
    for (const post of chosen) {
      try {
        await act(post)
      } catch {
        failed += 1
      }
    }
    // A picture of a post that stayed must stay, too.
    if (failed === 0) await finish?.()
    setBusy(false)
    setAsking(null)
    const count = chosen.length - failed
    const already = posts.length - chosen.length
    const rest = already === 0 ? '' : `; ${already} ${already === 1 ? 'was' : 'were'} already`
    if (count > 0 || failed === 0) toast({ title: 'Success', description: `${count} ${count === 1 ? 'post' : 'posts'} ${done}${rest}` })
    if (failed > 0) toast({ title: 'Error', description: `${failed} of ${posts.length} posts could not be changed`, variant: 'destructive' })
    onDone()
  }

  return (
    <div role="group" aria-label="Selected posts" className="flex flex-wrap items-center gap-2 border-b border-granite-200 bg-harbor-50 px-4 py-2.5 text-sm sm:px-5">
      <p aria-live="polite" className="mr-2 font-semibold tabular-nums">
        {posts.length} selected
      </p>
      <Button size="sm" variant="outline" busy={busy} onClick={() => void runAll('published', (post) => setStatus(post.id, true), { due: (post) => !post.published })}>
        Publish all
      </Button>
      <Button size="sm" variant="outline" busy={busy} onClick={() => void runAll('unpublished', (post) => setStatus(post.id, false), { due: (post) => post.published })}>
        Unpublish all
      </Button>
      <Button size="sm" variant="outline" disabled={busy} onClick={() => setAsking('tag')}>
        Add tag
      </Button>
      <Button size="sm" variant="danger" disabled={busy} onClick={() => setAsking('delete')}>
        Delete all
      </Button>
      <Button size="sm" variant="quiet" disabled={busy} onClick={onDone}>
        Clear selection
      </Button>
      <ConfirmDialog
        open={asking === 'delete'}
        title="Delete posts"
        question={`Are you sure you want to delete ${posts.length === 1 ? `"${posts[0]?.title}"` : `${posts.length} posts`}?`}
        confirmLabel="Delete"
        busy={busy}
        onConfirm={() => void runAll('deleted', (post) => deletePost(post.id), { finish: own.finish })}
        onCancel={() => setAsking(null)}
      >
        {own.offer}
      </ConfirmDialog>
      <Dialog open={asking === 'tag'} onClose={() => setAsking(null)} title="Add a tag">
        <TagForm busy={busy} onCancel={() => setAsking(null)} onAdd={(tag) => void runAll(`tagged "${tag}"`, (post) => addTag(post, tag), { due: (post) => !post.tags.includes(tag) })} />
      </Dialog>
    </div>
  )
}

function TagForm({ busy, onCancel, onAdd }: { busy: boolean; onCancel: () => void; onAdd: (tag: string) => void }) {
  const [tag, setTag] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (tag.trim() !== '') onAdd(tag.trim())
  }
  return (
    <form onSubmit={submit} className="grid gap-5">
      <Field label="Tag" required>
        {(control) => <Input {...control} maxLength={60} value={tag} onChange={(event) => setTag(event.target.value)} />}
      </Field>
      <DialogActions>
        <Button variant="outline" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" busy={busy} disabled={tag.trim() === ''}>
          Add tag
        </Button>
      </DialogActions>
    </form>
  )
}
