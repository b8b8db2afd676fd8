/** Questions that a save, a leave or an opened draft can raise. None of them loses a version unseen. */
import { dateTime } from '@/lib/dates'
import { Button } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { ChangesView } from './changes-view'
import type { LocalDraft } from './local-draft'
import { type Post, type PostForm, formOf } from './post-form'

interface ConflictDialogProps {
  theirs: Post | null
  mine: PostForm
  busy: boolean
  onKeepEditing: () => void
  onTakeTheirs: (theirs: Post) => void
  onOverwrite: (theirs: Post) => void
}

export function ConflictDialog({ theirs, mine, busy, onKeepEditing, onTakeTheirs, onOverwrite }: ConflictDialogProps) {
  return (
    <Dialog open={theirs !== null} onClose={onKeepEditing} title="Someone else changed this post" locked={busy}>
      {theirs ? (
        <div className="grid gap-5">
          <p className="text-sm">
            It was saved on {dateTime(theirs.updated_at)}, after you opened it. Nothing of yours has been stored yet. If you overwrite their version, it
            stays in the history of the post.
          </p>
          <ChangesView before={formOf(theirs, theirs.published)} after={mine} names={{ before: 'Their version', after: 'Your version' }} />
          <DialogActions>
            <Button variant="outline" onClick={onKeepEditing} disabled={busy}>
              Keep editing
            </Button>
            <Button variant="outline" onClick={() => onTakeTheirs(theirs)} disabled={busy}>
              Use their version
            </Button>
            <Button variant="danger" onClick={() => onOverwrite(theirs)} busy={busy}>
              Overwrite with mine
            </Button>
          </DialogActions>
        </div>
      ) : null}
    </Dialog>
  )
}

interface GoneDialogProps {
  open: boolean
  busy: boolean
  onKeepEditing: () => void
  onSaveAsNew: () => void
}

export function GoneDialog({ open, busy, onKeepEditing, onSaveAsNew }: GoneDialogProps) {
  return (
    <Dialog open={open} onClose={onKeepEditing} title="This post was deleted" locked={busy}>
      <p className="text-sm">Someone deleted it while you were editing. Your text is still here; you can store it as a new post.</p>
      <DialogActions>
        <Button variant="outline" onClick={onKeepEditing} disabled={busy}>
          Keep editing
        </Button>
        <Button onClick={onSaveAsNew} busy={busy}>
          Save as a new post
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface RestoreDialogProps {
  draft: LocalDraft | null
  stored: PostForm
  /** `updated_at` of what is stored; null for a new post. */
  version: string | null
  onRestore: (draft: LocalDraft) => void
  onDiscard: () => void
}

/** Cannot be waved away: the next keystroke would take the draft's place. */
export function RestoreDialog({ draft, stored, version, onRestore, onDiscard }: RestoreDialogProps) {
  return (
    <Dialog open={draft !== null} title="Unsaved changes found" locked>
      {draft ? (
        <div className="grid gap-5">
          <p className="text-sm">
            This device kept changes from {dateTime(new Date(draft.savedAt).toISOString())} that were never saved.
            {draft.version === version ? '' : ' The post has been saved by someone since; you will see both versions before anything is overwritten.'}
          </p>
          <ChangesView before={stored} after={draft.form} names={{ before: version === null ? 'Empty post' : 'Saved post', after: 'Unsaved changes' }} />
          <DialogActions>
            <Button variant="outline" onClick={onDiscard}>
              Discard
            </Button>
            <Button onClick={() => onRestore(draft)}>Restore</Button>
          </DialogActions>
        </div>
      ) : null}
    </Dialog>
  )
}

interface LeaveDialogProps {
  open: boolean
  onStay: () => void
  onLeave: () => void
}

export function LeaveDialog({ open, onStay, onLeave }: LeaveDialogProps) {
  return (
    <Dialog open={open} onClose={onStay} title="Leave without saving?">
      <p className="text-sm">Your changes are not saved. This device keeps them, and you can restore them when you open the post again.</p>
      <DialogActions>
        <Button variant="outline" onClick={onLeave}>
          Leave
        </Button>
        <Button onClick={onStay}>Stay</Button>
      </DialogActions>
    </Dialog>
  )
}
