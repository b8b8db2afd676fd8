import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '@/ui/button'
import { DialogActions } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Input } from '@/ui/input'
import { Progress } from '@/ui/progress'
import { uploadPicture } from '../api/pictures'
import { failureOf } from './failure'
import { type Prepared, prepare } from './prepare'

export interface Uploaded {
  address: string
  alt: string
}

interface UploadFormProps {
  file: File
  /** What came with it, such as the words of a pasted picture. */
  alt?: string
  /** How the button is called. */
  action: string
  onCancel: () => void
  onDone: (picture: Uploaded) => void
}

/** A chosen file on its way: what it shows is asked for while it is made ready, and it is stored once the words are there. */
export function UploadForm({ file, alt: given = '', action, onCancel, onDone }: UploadFormProps) {
  const [prepared, setPrepared] = useState<Prepared | null>(null)
  const [fault, setFault] = useState('')
  const [alt, setAlt] = useState(given)
  const [decoration, setDecoration] = useState(false)
  const [missing, setMissing] = useState(false)
  const [percent, setPercent] = useState<number | null>(null)

  useEffect(() => {
    let left = false
    prepare(file).then(
      (made) => left || setPrepared(made),
      (error: unknown) => left || setFault(failureOf(error)),
    )
    return () => {
      left = true
    }
  }, [file])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    // The editor's own form surrounds this one in the tree, and must not see it.
    event.stopPropagation()
    const words = decoration ? '' : alt.trim()
    setMissing(words === '' && !decoration)
    if (!prepared || (words === '' && !decoration)) return
    setFault('')
    try {
      onDone({ address: await uploadPicture(prepared, { alt: words, name: file.name }, setPercent), alt: words })
    } catch (error) {
      setFault(failureOf(error))
      setPercent(null)
    }
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <div className="flex items-start gap-4">
        {prepared ? <Preview prepared={prepared} /> : <div className="h-24 w-36 shrink-0 rounded-md bg-granite-100" />}
        <p className="min-w-0 text-sm break-words">
          <span className="font-semibold">{file.name}</span>
          <br />
          <span className="text-granite-600">{prepared ? `${prepared.width} × ${prepared.height} pixels` : fault === '' ? 'Reading the picture...' : ''}</span>
        </p>
      </div>
      <p role="alert" className="text-sm font-medium text-danger empty:hidden">
        {fault}
      </p>
      <Field
        label="Alternative text"
        required={!decoration}
        error={missing ? 'Say what the picture shows, or that it is only decoration.' : undefined}
        hint="What the picture shows, for readers who cannot see it."
      >
        {(control) => <Input {...control} value={alt} maxLength={500} disabled={decoration || percent !== null} onChange={(event) => setAlt(event.target.value)} />}
      </Field>
      <label className="flex items-center gap-2.5 text-sm">
        <input type="checkbox" checked={decoration} disabled={percent !== null} onChange={(event) => setDecoration(event.target.checked)} className="size-5 accent-harbor-700" />
        The picture is only decoration
      </label>
      {percent === null ? null : <Progress value={percent} label="Uploading" />}
      <DialogActions>
        <Button variant="outline" disabled={percent !== null} onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" busy={percent !== null} disabled={!prepared}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}

/** The smallest version, as data: the page's rules allow no other address of what is only here. */
function Preview({ prepared: { versions, width, height } }: { prepared: Prepared }) {
  const [source, setSource] = useState('')
  useEffect(() => {
    const [smallest] = versions
    if (!smallest) return
    const reader = new FileReader()
    reader.addEventListener('load', () => setSource(String(reader.result)))
    reader.readAsDataURL(smallest.blob)
    return () => reader.abort()
  }, [versions])
  return <img src={source || undefined} alt="" width={width} height={height} className="h-24 w-36 shrink-0 rounded-md bg-granite-100 object-contain" />
}
