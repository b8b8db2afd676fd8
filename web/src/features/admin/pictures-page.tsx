import { useState } from 'react'
import { shortDate } from '@/lib/dates'
import { paths } from '@/lib/paths'
import { Seo } from '@/lib/seo'
import { Button } from '@/ui/button'
import { ConfirmDialog } from '@/ui/confirm-dialog'
import { Dialog } from '@/ui/dialog'
import { Link } from '@/ui/link'
import { toast } from '@/ui/toast-store'
import { type Picture, deletePicture } from './api/pictures'
import { FileButton } from './pictures/file-button'
import { Library } from './pictures/library'
import { UploadForm } from './pictures/upload-form'
import './admin.css'

/** Every picture that was uploaded: where it is shown, its address, and the way to be rid of it. */
export default function PicturesPage() {
  const [file, setFile] = useState<File | null>(null)
  const [asked, setAsked] = useState<Picture | null>(null)
  const [busy, setBusy] = useState(false)

  const remove = async (picture: Picture) => {
    setBusy(true)
    try {
      await deletePicture(picture.folder)
      toast({ title: 'Success', description: 'Picture deleted' })
    } catch {
      toast({ title: 'Error', description: 'The picture could not be deleted', variant: 'destructive' })
    } finally {
      setBusy(false)
      setAsked(null)
    }
  }

  return (
    <div className="min-h-svh bg-granite-50">
      <Seo title="Pictures" description="Pictures of articles" noindex />
      <div className="container grid gap-6 py-8 lg:py-10">
        <div className="flex flex-wrap items-end justify-between gap-5">
          <div>
            <h1 className="text-h2">Pictures</h1>
            <p className="mt-1.5 text-granite-600">What was uploaded for articles, and where it is shown</p>
          </div>
          <FileButton label="Upload a picture" onChoose={([chosen]) => setFile(chosen ?? null)} />
        </div>
        <Library empty="No picture has been uploaded yet.">{(picture) => <Facts picture={picture} onDelete={() => setAsked(picture)} />}</Library>
      </div>
      <Dialog open={file !== null} onClose={() => setFile(null)} title="Upload a picture">
        {file ? (
          <UploadForm
            file={file}
            action="Upload picture"
            onCancel={() => setFile(null)}
            onDone={() => {
              setFile(null)
              toast({ title: 'Success', description: 'Picture uploaded' })
            }}
          />
        ) : null}
      </Dialog>
      <ConfirmDialog
        open={asked !== null}
        title="Delete picture"
        question={asked ? questionOf(asked) : ''}
        confirmLabel="Delete"
        busy={busy}
        onConfirm={() => asked && void remove(asked)}
        onCancel={() => setAsked(null)}
      />
    </div>
  )
}

function questionOf({ fileName, posts }: Picture): string {
  const question = `Are you sure you want to delete "${fileName}"?`
  return posts.length === 0 ? question : `${question} It will be missing in ${posts.map(({ title }) => `"${title}"`).join(', ')}.`
}

const kilobytes = (bytes: number) => `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-US')} kB`

function Facts({ picture, onDelete }: { picture: Picture; onDelete: () => void }) {
  const { fileName, alt, bytes, createdAt, posts, address } = picture
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(new URL(address, window.location.origin).href)
      toast({ title: 'Success', description: 'Address copied' })
    } catch {
      toast({ title: 'Error', description: 'This browser does not let the address be copied', variant: 'destructive' })
    }
  }
  return (
    <>
      <h2 className="truncate text-sm font-semibold">{fileName}</h2>
      <p className="line-clamp-2 text-xs text-granite-600">{alt || 'Decoration, without alternative text'}</p>
      <p className="text-xs text-granite-600">
        {kilobytes(bytes)}, {shortDate(createdAt)}
      </p>
      {posts.length === 0 ? (
        <p className="text-xs text-granite-600">Not shown anywhere</p>
      ) : (
        <ul aria-label="Shown in" className="text-xs">
          {posts.map(({ id, title }) => (
            <li key={id} className="truncate">
              <Link to={paths.admin.post(id)} className="text-harbor-700 underline">
                {title}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-1 flex flex-wrap gap-2">
        <Button size="sm" variant="outline" aria-label={`Copy address of ${fileName}`} onClick={() => void copy()}>
          Copy address
        </Button>
        <Button size="sm" variant="danger" aria-label={`Delete ${fileName}`} onClick={onDelete}>
          Delete
        </Button>
      </div>
    </>
  )
}
