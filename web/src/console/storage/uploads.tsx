import { FolderUp, Upload as UploadIcon } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { toast } from '@/ui/toast-store'
import { useSession } from '../lib/session'
import { type Upload, upload } from '../lib/upload'
import { Button } from '../parts/button'
import { CheckField } from '../parts/field'
import { Failure } from '../parts/states'
import { escaped } from './api'

interface Sent {
  file: File
  /** Where it goes, below the folder that is shown. */
  path: string
}

/** What was dropped, with the files of folders. */
export async function dropped(items: DataTransferItemList): Promise<Sent[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const found: Sent[] = []
  const walk = async (entry: FileSystemEntry, home: string): Promise<void> => {
    const path = home + entry.name
    if (entry.isFile) {
      found.push({ file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)), path })
      return
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    for (;;) {
      // A reader gives a folder in parts.
      // oxlint-disable-next-line no-await-in-loop
      const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
      if (part.length === 0) return
      // oxlint-disable-next-line no-await-in-loop
      for (const inner of part) await walk(inner, `${path}/`)
    }
  }
  // oxlint-disable-next-line no-await-in-loop
  for (const entry of entries) await walk(entry, '')
  return found
}

/** Files to the folder that is shown: chosen, or dropped anywhere on the list, which stands inside. */
export function Uploads({ bucket, folder, onDone, children }: { bucket: string; folder: string; onDone: () => void; children: ReactNode }) {
  const session = useSession()
  const input = useRef<HTMLInputElement>(null)
  const whole = useRef<HTMLInputElement>(null)
  const running = useRef<Upload | null>(null)
  const stopped = useRef(false)
  const [sending, setSending] = useState<{ name: string; part: number; at: number; all: number } | null>(null)
  const [failed, setFailed] = useState<string[]>([])
  const [replace, setReplace] = useState(false)
  const [over, setOver] = useState(false)
  const send = async (files: readonly Sent[]) => {
    if (session.read_only || sending !== null || files.length === 0) return
    stopped.current = false
    setFailed([])
    let done = 0
    for (const [at, { file, path }] of files.entries()) {
      if (stopped.current) break
      const told = { name: path, at: at + 1, all: files.length }
      setSending({ ...told, part: 0 })
      running.current = upload(`proxy/storage/v1/object/${encodeURIComponent(bucket)}/${escaped(folder === '' ? path : `${folder}/${path}`)}`, {
        body: file,
        token: session.token,
        headers: { 'content-type': file.type || 'application/octet-stream', 'x-console-as': 'service', 'x-upsert': String(replace) },
        onProgress: (part) => setSending({ ...told, part }),
      })
      try {
        // One after the other: a stop leaves what is whole.
        // oxlint-disable-next-line no-await-in-loop
        await running.current.done
        done += 1
      } catch (error) {
        setFailed((before) => [...before, `${path}: ${error instanceof Error ? error.message : String(error)}`])
      }
    }
    setSending(null)
    if (done > 0) toast({ title: done === 1 ? 'File uploaded' : `${done} files uploaded` })
    onDone()
  }
  const chosen = (list: FileList | null) => [...(list ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }))
  return (
    <div
      className={over ? 'stack dropping' : 'stack'}
      onDragOver={(event) => {
        event.preventDefault()
        if (!over && !session.read_only) setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void dropped(event.dataTransfer.items).then(send, (error: unknown) => setFailed([String(error)]))
      }}
    >
      <div className="row">
        <input
          ref={input}
          type="file"
          multiple
          className="unseen"
          tabIndex={-1}
          aria-label="Files to upload"
          onChange={(event) => {
            void send(chosen(event.target.files))
            event.target.value = ''
          }}
        />
        <input
          ref={(element) => {
            whole.current = element
            element?.setAttribute('webkitdirectory', '')
          }}
          type="file"
          multiple
          className="unseen"
          tabIndex={-1}
          aria-label="Folder to upload"
          onChange={(event) => {
            void send(chosen(event.target.files))
            event.target.value = ''
          }}
        />
        <Button look="primary" icon={<UploadIcon aria-hidden="true" />} disabled={session.read_only || sending !== null} onClick={() => input.current?.click()}>
          Upload file
        </Button>
        <Button icon={<FolderUp aria-hidden="true" />} disabled={session.read_only || sending !== null} onClick={() => whole.current?.click()}>
          Upload folder
        </Button>
        <CheckField label="Replace what is there" checked={replace} onChange={(event) => setReplace(event.target.checked)} />
        <span className="muted">or drop files and folders here</span>
      </div>
      {sending ? (
        <div className="pending" role="status">
          <span className="grow">
            {sending.all > 1 ? `${sending.at} of ${sending.all}: ` : ''}
            {sending.name} {Math.round(sending.part * 100)} %
            <progress max={1} value={sending.part} aria-label={`Upload of ${sending.name}`} />
          </span>
          <Button
            onClick={() => {
              stopped.current = true
              running.current?.stop()
            }}
          >
            Stop
          </Button>
        </div>
      ) : null}
      {failed.length > 0 ? <Failure error={new Error(failed.join('; '))} /> : null}
      {children}
    </div>
  )
}
