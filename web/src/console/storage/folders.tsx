import { type ReactNode, useRef, useState } from 'react'
import { toast } from '@/ui/toast-store'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { TextField } from '../parts/field'
import { Failure } from '../parts/states'
import { filesUnder, storage } from './api'

const AT_ONCE = 200

/** A path as it is kept: without slashes at its ends. */
export function plainPath(text: string): string {
  return text.trim().replaceAll(/^\/+|\/+$/g, '').replaceAll(/\/{2,}/g, '/')
}

export function NewFolder({ onMake, onClose }: { onMake: (name: string) => Promise<unknown>; onClose: () => void }) {
  const [name, setName] = useState('')
  return (
    <Work title="New folder" action="Create folder" ready={plainPath(name) !== ''} onClose={onClose} work={() => onMake(plainPath(name))}>
      <TextField label="Folder name" value={name} onChange={(event) => setName(event.target.value)} />
    </Work>
  )
}

/** A change of many files, one step after the other, that says how far it is and can be stopped between two. */
function Work({ title, action, danger, ready, work, onClose, children }: { title: string; action: string; danger?: boolean; ready: boolean; work: (tell: (done: number, all: number) => void, stopped: () => boolean) => Promise<unknown>; onClose: () => void; children: ReactNode }) {
  const [busy, setBusy] = useState(false)
  const [far, setFar] = useState<[number, number] | null>(null)
  const [error, setError] = useState<unknown>(null)
  const stop = useRef(false)
  const begin = () => {
    if (busy || !ready) return
    stop.current = false
    setBusy(true)
    setError(null)
    work((done, all) => setFar([done, all]), () => stop.current).then(onClose, (failed: unknown) => {
      setError(failed)
      setBusy(false)
    })
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      locked={busy}
      onSubmit={begin}
      actions={
        <>
          {busy && far ? <Button onClick={() => (stop.current = true)}>Stop</Button> : <Button disabled={busy} onClick={onClose}>Cancel</Button>}
          <Button type="submit" look={danger ? 'danger' : 'primary'} busy={busy} disabled={!ready}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {far ? (
        <p role="status">
          {far[0]} of {far[1]} files
          <progress max={far[1]} value={far[0]} aria-label={title} />
        </p>
      ) : null}
      {error ? <Failure error={error} /> : null}
    </Dialog>
  )
}

async function moveAll(bucket: string, pairs: readonly (readonly [string, string])[], tell: (done: number, all: number) => void, stopped: () => boolean): Promise<void> {
  for (const [index, [from, to]] of pairs.entries()) {
    if (stopped()) throw new Error(`Stopped: ${index} of ${pairs.length} files are moved.`)
    tell(index, pairs.length)
    // Each is a change of its own; a stop leaves what is whole.
    // oxlint-disable-next-line no-await-in-loop
    if (from !== to) await storage.move(bucket, from, to)
  }
}

export function MoveFiles({ bucket, folder, names, onDone, onClose }: { bucket: string; folder: string; names: readonly string[]; onDone: () => void; onClose: () => void }) {
  const [to, setTo] = useState(folder)
  const target = plainPath(to)
  return (
    <Work
      title={names.length === 1 ? 'Move file' : `Move ${names.length} files`}
      action="Move files"
      ready={target !== folder}
      onClose={onClose}
      work={async (tell, stopped) => {
        const path = (home: string, name: string) => (home === '' ? name : `${home}/${name}`)
        try {
          await moveAll(bucket, names.map((name) => [path(folder, name), path(target, name)] as const), tell, stopped)
          toast({ title: 'Files moved' })
        } finally {
          onDone()
        }
      }}
    >
      <TextField label="To the folder" value={to} hint="Empty is the bucket itself" onChange={(event) => setTo(event.target.value)} />
    </Work>
  )
}

export function RenameFolder({ bucket, path, onDone, onClose }: { bucket: string; path: string; onDone: () => void; onClose: () => void }) {
  const [to, setTo] = useState(path)
  const target = plainPath(to)
  return (
    <Work
      title={`Rename folder ${path}`}
      action="Move or rename"
      ready={target !== '' && target !== path && !target.startsWith(`${path}/`)}
      onClose={onClose}
      work={async (tell, stopped) => {
        try {
          const files = await filesUnder(bucket, path)
          await moveAll(bucket, files.map((name) => [name, target + name.slice(path.length)] as const), tell, stopped)
          toast({ title: 'Folder renamed' })
        } finally {
          onDone()
        }
      }}
    >
      <TextField label="Path" value={to} hint="Every file in it is moved, one after the other" onChange={(event) => setTo(event.target.value)} />
    </Work>
  )
}

export function DeleteFolder({ bucket, path, onDone, onClose }: { bucket: string; path: string; onDone: () => void; onClose: () => void }) {
  return (
    <Work
      title={`Delete folder ${path}`}
      action="Delete folder"
      danger
      ready
      onClose={onClose}
      work={async (tell, stopped) => {
        try {
          const files = await filesUnder(bucket, path)
          for (let begin = 0; begin < files.length; begin += AT_ONCE) {
            if (stopped()) throw new Error(`Stopped: ${begin} of ${files.length} files are deleted.`)
            tell(begin, files.length)
            // oxlint-disable-next-line no-await-in-loop
            await storage.remove(bucket, files.slice(begin, begin + AT_ONCE))
          }
          toast({ title: files.length === 1 ? '1 file deleted' : `${files.length} files deleted` })
        } finally {
          onDone()
        }
      }}
    >
      <p>All files in {path}, and in the folders in it, are deleted. This cannot be taken back.</p>
    </Work>
  )
}
