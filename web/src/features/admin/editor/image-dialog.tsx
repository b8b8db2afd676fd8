import { type FormEvent, useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Input } from '@/ui/input'
import { FileButton } from '../pictures/file-button'
import { Library } from '../pictures/library'
import { Choose } from '../pictures/picture-dialog'
import { UploadForm } from '../pictures/upload-form'
import { isPictureAddress } from './link-address'

export interface Picture {
  address: string
  alt: string
}

interface ImageDialogProps {
  /** A file that was dropped or pasted, to be stored first. */
  file: File | null
  /** The selected picture, a blank one to insert, or null while closed. */
  picture: Picture | null
  onClose: () => void
  onInsert: (picture: Picture) => void
}

export function ImageDialog({ file, picture, onClose, onInsert }: ImageDialogProps) {
  return (
    <Dialog open={picture !== null} onClose={onClose} title="Image" wide={picture?.address === '' && file === null}>
      {picture ? <Ways key={file?.name} file={file} picture={picture} onClose={onClose} onInsert={onInsert} /> : null}
    </Dialog>
  )
}

/** A picture of the writer's own, one of the library, or one that lies elsewhere. */
function Ways({ file: given, picture, onClose, onInsert }: ImageDialogProps & { picture: Picture }) {
  const [file, setFile] = useState(given)
  if (file) return <UploadForm file={file} alt={picture.alt} action="Insert image" onCancel={given ? onClose : () => setFile(null)} onDone={onInsert} />
  if (picture.address !== '') return <ImageForm picture={picture} onClose={onClose} onInsert={onInsert} />
  return (
    <div className="grid gap-6">
      <div>
        <FileButton label="Upload a picture" onChoose={([chosen]) => setFile(chosen ?? null)} />
        <p className="mt-2 text-xs text-granite-600">Or drop it on the text, or paste it there.</p>
      </div>
      <details className="rounded-md border border-granite-200 px-4 py-3">
        <summary className="cursor-pointer text-sm font-semibold">Choose from the library</summary>
        <div className="mt-4">
          <Library empty="No picture has been uploaded yet.">{(each) => <Choose picture={each} onChoose={onInsert} />}</Library>
        </div>
      </details>
      <ImageForm picture={picture} onClose={onClose} onInsert={onInsert} />
    </div>
  )
}

function ImageForm({ picture, onClose, onInsert }: Pick<ImageDialogProps, 'onClose' | 'onInsert'> & { picture: Picture }) {
  const [address, setAddress] = useState(picture.address)
  const [alt, setAlt] = useState(picture.alt)
  const [error, setError] = useState<string>()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The editor's own form surrounds this one in the tree, and must not see it.
    event.stopPropagation()
    if (isPictureAddress(address)) onInsert({ address: address.trim(), alt: alt.trim() })
    else setError(/^http:/i.test(address.trim()) ? 'Pictures from http:// addresses are not shown. Use the https:// address.' : 'Enter an address that starts with https://, or with / for a picture of this site.')
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-5">
      <Field label="Image address" required error={error} hint="Of a picture that lies elsewhere, and is shown from there.">
        {(control) => <Input {...control} type="url" inputMode="url" placeholder="https://" value={address} onChange={(event) => setAddress(event.target.value)} />}
      </Field>
      <Field label="Alternative text" hint="What the picture shows, for readers who cannot see it. Leave it empty only for decoration.">
        {(control) => <Input {...control} value={alt} onChange={(event) => setAlt(event.target.value)} />}
      </Field>
      <DialogActions>
        <Button variant="outline" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit">{picture.address === '' ? 'Insert image' : 'Update image'}</Button>
      </DialogActions>
    </form>
  )
}
