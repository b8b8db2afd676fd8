import { clsx } from 'clsx'
import { useState } from 'react'
import { dateTime } from '@/lib/dates'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useRevision, useRevisions } from '../api/list-revisions'
import { ChangesView } from './changes-view'
import { type PostForm, formOf } from './post-form'

interface RevisionsDialogProps {
  postId: string
  open: boolean
  form: PostForm
  onClose: () => void
  /** Puts an earlier version into the editor; it is stored by the next save. */
  onRestore: (form: PostForm) => void
}

export function RevisionsDialog({ open, onClose, ...rest }: RevisionsDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="History">
      <Revisions {...rest} />
    </Dialog>
  )
}

function Revisions({ postId, form, onRestore }: Pick<RevisionsDialogProps, 'postId' | 'form' | 'onRestore'>) {
  const [chosen, setChosen] = useState<string | null>(null)
  const { data: revisions = [], isPending, isError } = useRevisions(postId)
  const revision = useRevision(chosen)

  if (isPending) return <p role="status">Loading history...</p>
  if (isError) return <p role="alert">The history could not be loaded. Close this window and try again.</p>
  if (revisions.length === 0) return <p className="text-granite-600">There are no earlier versions yet. Each save keeps the one it replaces.</p>
  return (
    <div className="grid gap-5">
      <ul aria-label="Earlier versions" className="max-h-48 divide-y divide-granite-200 overflow-auto rounded-lg border border-granite-200">
        {revisions.map(({ id, title, saved_at }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={id === chosen}
              onClick={() => setChosen(id)}
              className={clsx('flex w-full flex-wrap justify-between gap-x-4 px-4 py-2.5 text-left text-sm', id === chosen ? 'bg-harbor-50' : 'hover:bg-granite-50')}
            >
              <span className="font-semibold">{dateTime(saved_at)}</span>
              <span className="min-w-0 truncate text-granite-600">{title}</span>
            </button>
          </li>
        ))}
      </ul>
      {revision.data ? (
        <>
          <ChangesView before={formOf(revision.data, form.published)} after={form} names={{ before: 'Earlier version', after: 'In the editor now' }} />
          <div className="flex justify-end">
            <Button onClick={() => onRestore(formOf(revision.data, form.published))}>Restore this version</Button>
          </div>
        </>
      ) : (
        <p className="text-sm text-granite-600">{chosen ? 'Loading version...' : 'Choose a version to see what has changed since.'}</p>
      )}
    </div>
  )
}
