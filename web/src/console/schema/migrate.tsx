import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { toast } from '@/ui/toast-store'
import { ApiError, api, isRecord } from '../lib/api'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { TextArea, TextField } from '../parts/field'
import { Code } from '../parts/page'
import { Failure } from '../parts/states'
import { slug } from './statements'

interface Written {
  file: string
  sql: string
  ran: boolean
}

/** Where in the text the server found a fault, counted from 1. */
function placeOf(error: unknown): number | null {
  const at = error instanceof ApiError && isRecord(error.body) ? error.body.position : null
  return typeof at === 'number' ? at : null
}

function faultText(error: unknown, sql: string): string | undefined {
  const at = placeOf(error)
  return at === null ? undefined : `Line ${sql.slice(0, at - 1).split('\n').length}: ${error instanceof Error ? error.message : String(error)}`
}

interface MigrateProps {
  title: string
  /** The statement of what the form holds now; null while something is missing. */
  sql: string | null
  missing?: string
  children: ReactNode
  onClose: () => void
  onDone?: () => void
}

/** A form, then the migration it makes, which may still be changed, then the database. */
export function Migrate({ title, sql, missing, children, onClose, onDone }: MigrateProps) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [shown, setShown] = useState<{ sql: string; file: string; note: string } | null>(null)
  const [error, setError] = useState<unknown>(null)
  const text = useRef<HTMLTextAreaElement>(null)
  const [busy, setBusy] = useState(false)
  const fail = (failed: unknown) => {
    setError(failed)
    const at = placeOf(failed)
    // The fault is marked where it stands.
    if (at !== null) setTimeout(() => (text.current?.focus(), text.current?.setSelectionRange(at - 1, at)), 50)
  }

  const preview = async () => {
    if (sql === null) {
      setError(new Error(missing ?? 'Something is missing.'))
      return
    }
    const wanted = name || slug(title)
    setName(wanted)
    setError(null)
    const answer = await api<Written>('migrations', { method: 'POST', body: { name: wanted, sql, run: false } })
    setShown({ sql: answer.sql || sql, file: answer.file, note: '' })
  }
  const run = async () => {
    if (!shown) return
    setError(null)
    try {
      if (shown.note) await api('sql', { method: 'POST', body: { id: `${slug(name)}-${Date.now()}`, sql: shown.sql, role: 'postgres', claims: null, read_only: false } })
      else await api<Written>('migrations', { method: 'POST', body: { name, sql: shown.sql, run: true } })
    } catch (failed) {
      // Without a folder of migrations the statement can still run, if that is wanted.
      if (!(failed instanceof ApiError && failed.problem.code === 'no_folder')) throw failed
      setShown({ ...shown, file: '', note: `${failed.message} It can run without a file.` })
      return
    }
    toast({ title: 'The migration ran', description: shown.note ? undefined : shown.file })
    await Promise.all(['catalog', 'migrations', 'rows'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
    onDone?.()
    onClose()
  }
  const step = (act: () => Promise<void>) => {
    setBusy(true)
    act()
      .catch(fail)
      .finally(() => setBusy(false))
  }
  return (
    <Dialog
      title={title}
      side={shown === null}
      wide
      locked={busy}
      onClose={onClose}
      onSubmit={() => step(shown ? run : preview)}
      actions={
        <>
          {shown ? <Button onClick={() => (setShown(null), setError(null))}>Back</Button> : <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" look="primary" busy={busy}>
            {shown ? (shown.note ? 'Run without a file' : 'Run migration') : 'Review migration'}
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      {shown ? (
        <>
          {shown.note ? <p className="note">{shown.note}</p> : null}
          {shown.file ? (
            <p>
              Written as <code className="break">{shown.file}</code> when it runs.
            </p>
          ) : null}
          <TextField label="Migration name" value={name} onChange={(event) => setName(slug(event.target.value))} />
          <TextArea label="Migration SQL" rows={16} ref={text} error={faultText(error, shown.sql)} value={shown.sql} onChange={(event) => setShown({ ...shown, sql: event.target.value })} />
        </>
      ) : (
        <>
          {children}
          {sql ? <Code label="SQL so far">{sql}</Code> : null}
        </>
      )}
    </Dialog>
  )
}
