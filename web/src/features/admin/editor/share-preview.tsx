import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Input } from '@/ui/input'
import { toast } from '@/ui/toast-store'
import { sharePreview } from '../api/share-preview'

/** A link to the stored post for somebody without an account. */
export function SharePreview({ postId }: { postId: string }) {
  const [address, setAddress] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const make = async () => {
    setBusy(true)
    try {
      setAddress(window.location.origin + paths.preview(await sharePreview(postId)))
    } catch {
      toast({ title: 'Error', description: 'The preview link could not be made', variant: 'destructive' })
    } finally {
      setBusy(false)
    }
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address ?? '')
      toast({ title: 'Link copied', description: 'Whoever has it sees the saved post for seven days.' })
    } catch {
      toast({ title: 'The link could not be copied', description: 'Copy it from the field instead.', variant: 'destructive' })
    }
  }
  return (
    <>
      <Button variant="quiet" size="sm" busy={busy} onClick={() => void make()}>
        <Link2 aria-hidden="true" /> Preview link
      </Button>
      <Dialog open={address !== null} onClose={() => setAddress(null)} title="Preview link">
        <div className="grid gap-5">
          <Field label="Address" hint="Whoever has it sees the post as it is saved, without an account, for seven days.">
            {(control) => <Input {...control} readOnly value={address ?? ''} onFocus={(event) => event.target.select()} />}
          </Field>
          <DialogActions>
            <Button variant="outline" onClick={() => setAddress(null)}>
              Close
            </Button>
            <Button onClick={() => void copy()}>Copy link</Button>
          </DialogActions>
        </div>
      </Dialog>
    </>
  )
}
