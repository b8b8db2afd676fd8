import { useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Textarea } from '@/ui/input'
import { Progress } from '@/ui/progress'
import { toast } from '@/ui/toast-store'
import { forgetPublicPosts, reloadPosts } from '../api/list-posts'
import { useLeaveGuard } from '../use-leave-guard'
import { parseUpload } from './parse-upload'
import { type UploadResult, runUpload } from './run-upload'

const ERRORS_SHOWN = 10

const EXAMPLE = `[
  {
    "title": "Understanding Medical Waste Regulations",
    "content": "<p>Your article content here...</p>",
    "excerpt": "A brief summary of the article",
    "author_name": "United Medical Waste",
    "tags": ["compliance", "regulations"],
    "meta_title": "Medical Waste Regulations Guide",
    "meta_description": "What every facility needs to know about medical waste regulations"
  }
]`

interface BulkUploadDialogProps {
  open: boolean
  onClose: () => void
}

export function BulkUploadDialog({ open, onClose }: BulkUploadDialogProps) {
  const [uploading, setUploading] = useState(false)
  return (
    <Dialog open={open} onClose={onClose} title="Bulk Upload Blog Posts" locked={uploading}>
      {/* Its state lives only while it is shown: closing resets text, progress and results. */}
      <Upload uploading={uploading} setUploading={setUploading} onClose={onClose} />
    </Dialog>
  )
}

interface UploadProps {
  uploading: boolean
  setUploading: (uploading: boolean) => void
  onClose: () => void
}

function Upload({ uploading, setUploading, onClose }: UploadProps) {
  const [text, setText] = useState('')
  const [percent, setPercent] = useState(0)
  const [result, setResult] = useState<UploadResult | null>(null)
  useLeaveGuard(uploading)

  const upload = async () => {
    let entries: unknown[]
    try {
      entries = parseUpload(text)
    } catch (error) {
      toast({ title: 'Error', description: messageOf(error), variant: 'destructive' })
      return
    }
    setUploading(true)
    setPercent(0)
    try {
      const last = await runUpload(entries, (done, current) => {
        setPercent(done)
        setResult(current)
      })
      setResult(last)
      const { successful, failed } = last
      if (successful > 0) {
        forgetPublicPosts()
        void reloadPosts()
        toast({ title: 'Upload Complete', description: `Successfully uploaded ${successful} posts${failed > 0 ? ` (${failed} failed)` : ''}` })
      }
    } catch (error) {
      toast({ title: 'Upload Failed', description: messageOf(error) || 'Failed to process bulk upload', variant: 'destructive' })
    } finally {
      setUploading(false)
    }
  }

  return (
    <div className="grid gap-5">
      <div className="rounded-lg bg-harbor-50 p-4 text-sm">
        <p>Paste a JSON array of blog posts. Each one becomes a draft that you can check and publish.</p>
        <dl className="mt-2 grid gap-1">
          <div>
            <dt className="inline font-semibold">Required fields: </dt>
            <dd className="inline">title, content</dd>
          </div>
          <div>
            <dt className="inline font-semibold">Optional fields: </dt>
            <dd className="inline">excerpt, author_name, tags, meta_title, meta_description</dd>
          </div>
        </dl>
      </div>
      {/* Above the long field, where it is seen without scrolling. */}
      {uploading || result ? (
        <div ref={bringIntoView} className="grid gap-5">
          <Progress value={percent} label={uploading ? 'Uploading posts' : 'Upload finished'} />
          {result ? <Results {...result} /> : null}
        </div>
      ) : null}
      <Field label="JSON Data">
        {(control) => (
          <Textarea {...control} rows={15} mono spellCheck={false} placeholder={EXAMPLE} value={text} disabled={uploading} onChange={(event) => setText(event.target.value)} />
        )}
      </Field>
      <DialogActions>
        <Button variant="outline" onClick={onClose} disabled={uploading}>
          {result && !uploading ? 'Close' : 'Cancel'}
        </Button>
        <Button onClick={() => void upload()} busy={uploading} disabled={text.trim() === ''}>
          {uploading ? 'Uploading...' : 'Upload Posts'}
        </Button>
      </DialogActions>
    </div>
  )
}

const bringIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'center' })

const messageOf = (error: unknown) => (error instanceof Error ? error.message : '')

function Results({ successful, failed, errors }: UploadResult) {
  const shown = errors.slice(0, ERRORS_SHOWN)
  return (
    <div role="status" className="text-sm">
      <p className="flex flex-wrap gap-x-5 font-semibold">
        <span className="text-success">{successful} successful</span>
        <span className={failed > 0 ? 'text-danger' : 'text-granite-600'}>{failed} failed</span>
      </p>
      {shown.length > 0 ? (
        <div className="mt-3 rounded-lg bg-danger-50 p-4">
          <h3 className="text-sm">Errors</h3>
          <ul className="mt-2 grid gap-1 break-words">
            {shown.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          {errors.length > ERRORS_SHOWN ? <p className="mt-2 font-semibold">... and {errors.length - ERRORS_SHOWN} more errors</p> : null}
        </div>
      ) : null}
    </div>
  )
}
