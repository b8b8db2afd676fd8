import { useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { Picture } from '../api/pictures'
import { FileButton } from './file-button'
import { Library } from './library'
import { UploadForm, type Uploaded } from './upload-form'

interface PictureDialogProps {
  open: boolean
  title: string
  onClose: () => void
  onChoose: (picture: Uploaded) => void
}

/** A picture of the library, or a new one for it. */
export function PictureDialog({ open, title, onClose, onChoose }: PictureDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title} wide>
      {open ? <Choice onChoose={onChoose} /> : null}
    </Dialog>
  )
}

function Choice({ onChoose }: Pick<PictureDialogProps, 'onChoose'>) {
  const [file, setFile] = useState<File | null>(null)
  if (file) return <UploadForm file={file} action="Upload and use" onCancel={() => setFile(null)} onDone={onChoose} />
  return (
    <div className="grid gap-5">
      <div>
        <FileButton label="Upload a picture" onChoose={([chosen]) => setFile(chosen ?? null)} />
      </div>
      <Library empty="No picture has been uploaded yet.">{(picture) => <Choose picture={picture} onChoose={onChoose} />}</Library>
    </div>
  )
}

/** The button covers the card. */
export function Choose({ picture, onChoose }: { picture: Picture; onChoose: (picture: Uploaded) => void }) {
  return (
    <>
      <p className="truncate font-medium">{picture.alt || picture.fileName}</p>
      <div>
        <Button size="sm" variant="outline" aria-label={`Use ${picture.alt || picture.fileName}`} onClick={() => onChoose({ address: picture.address, alt: picture.alt })}>
          Use
        </Button>
      </div>
    </>
  )
}
