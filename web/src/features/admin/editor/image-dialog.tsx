import { type FormEvent, useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Input } from '@/ui/input'
import { isPictureAddress } from './link-address'

export interface Picture {
  address: string
  alt: string
}

interface ImageDialogProps {
  /** The selected picture, a blank one to insert, or null while closed. */
  picture: Picture | null
  onClose: () => void
  onInsert: (picture: Picture) => void
}

export function ImageDialog({ picture, onClose, onInsert }: ImageDialogProps) {
  return (
    <Dialog open={picture !== null} onClose={onClose} title="Image">
      {picture ? <ImageForm picture={picture} onClose={onClose} onInsert={onInsert} /> : null}
    </Dialog>
  )
}

function ImageForm({ picture, onClose, onInsert }: ImageDialogProps & { picture: Picture }) {
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
      <Field label="Image address" required error={error} hint="Pictures are shown from where they are on the web; files cannot be uploaded here.">
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
