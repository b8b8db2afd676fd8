import { type FormEvent, useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Textarea } from '@/ui/input'

interface BlockDialogProps {
  /** The block's HTML, or null while closed. */
  html: string | null
  onClose: () => void
  onSave: (html: string) => void
}

/** A block that the visual editor has no form for, as the HTML it is. */
export function BlockDialog({ html, onClose, onSave }: BlockDialogProps) {
  return (
    <Dialog open={html !== null} onClose={onClose} title="Edit as HTML" wide>
      {html === null ? null : <BlockForm html={html} onClose={onClose} onSave={onSave} />}
    </Dialog>
  )
}

function BlockForm({ html, onClose, onSave }: BlockDialogProps & { html: string }) {
  const [text, setText] = useState(html)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The editor's own form surrounds this one in the tree, and must not see it.
    event.stopPropagation()
    onSave(text)
  }
  return (
    <form noValidate onSubmit={submit} className="grid gap-5">
      <Field label="HTML of this section" hint="Tags outside of the allowed ones are removed.">
        {(control) => <Textarea {...control} mono rows={12} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <DialogActions>
        <Button variant="outline" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit">Update section</Button>
      </DialogActions>
    </form>
  )
}
