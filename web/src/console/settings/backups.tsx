import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError, api, request } from '../lib/api'
import { bytes, moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm } from '../parts/dialog'
import { List } from '../parts/list'
import { Badge, Page } from '../parts/page'
import { Failure, Loaded } from '../parts/states'

interface Copy {
  name: string
  bytes: number
  made_at: string | null
  broken?: boolean
}

interface Copies {
  folder: string | null
  every?: number | null
  keep?: number | null
  failed?: { at: string; reason: string } | null
  backups: Copy[]
}

interface Step {
  step: string
  /** Whether stopping now leaves everything as it was. */
  can_stop: boolean
}

type Line = Step | { error: { code: string; message: string } } | { text?: string; name?: string }

/** A long work whose steps come as lines; the last one says what came of it. */
export async function follow(path: string, body: unknown, signal: AbortSignal, onStep: (step: Step) => void): Promise<{ text?: string; name?: string }> {
  const response = await request(path, { method: 'POST', body, signal, headers: { accept: 'application/x-ndjson' } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let held = ''
  let last: Line | null = null
  const take = (text: string) => {
    if (text.trim() === '') return
    last = JSON.parse(text) as Line
    if ('step' in last) onStep(last)
  }
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const read = await reader?.read()
    if (!read || read.done) break
    held += read.value
    const lines = held.split('\n')
    held = lines.pop() ?? ''
    lines.forEach(take)
  }
  take(held)
  const end = last as Line | null
  if (end === null || 'step' in end) throw new Error('The connection was lost before the end was told.')
  if ('error' in end) throw new ApiError(409, end.error)
  return end
}

function hours(seconds: number): string {
  const whole = Math.round(seconds / 360) / 10
  return whole === 1 ? 'hour' : whole >= 48 && whole % 24 === 0 ? `${whole / 24} days` : `${whole} hours`
}

export function Backups() {
  const session = useSession()
  const copies = useQuery({ queryKey: ['backups'], queryFn: ({ signal }) => api<Copies>('backups', { signal }) })
  const [working, setWorking] = useState('')
  const [step, setStep] = useState<Step | null>(null)
  const [note, setNote] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [restored, setRestored] = useState('')
  const stop = useRef<AbortController | null>(null)
  const { act } = useAct('backups')
  const run = (what: string, path: string, body: unknown, done: (answer: { text?: string; name?: string }) => string) => {
    const control = new AbortController()
    stop.current = control
    setWorking(what)
    setStep(null)
    setError(null)
    setNote('')
    follow(path, body, control.signal, setStep)
      .then(
        (answer) => setNote(done(answer)),
        (failed: unknown) => setError(control.signal.aborted ? new Error('Stopped: everything is as it was. After a restore that was begun it takes some seconds until writes are taken again.') : failed),
      )
      .finally(() => {
        setWorking('')
        void act(what, async () => undefined)
      })
  }
  const path = (name: string, what: string) => `backups/${encodeURIComponent(name)}/${what}`
  return (
    <Page
      title="Backups"
      actions={
        <Button look="primary" disabled={session.read_only || working !== ''} onClick={() => run('Making a backup', 'backups', {}, (answer) => `Made ${answer.name ?? ''}`)}>
          New backup
        </Button>
      }
    >
      {working ? (
        <div className="pending" role="status">
          <span className="grow">
            {working}: {step?.step ?? 'starting'}…
            <progress aria-label={working} />
          </span>
          {step && !step.can_stop ? <span className="muted">It cannot be stopped any more</span> : <Button onClick={() => stop.current?.abort()}>Stop</Button>}
        </div>
      ) : null}
      {note ? (
        <p className="note good break" role="status">
          {note}
        </p>
      ) : null}
      {error ? <Failure error={error} /> : null}
      <Loaded result={copies}>
        {(data) => (
          <>
            {data.failed ? (
              <div className="note bad" role="alert">
                <p>
                  <strong>The last backup could not be made</strong> ({moment(data.failed.at)})
                </p>
                <p className="break">{data.failed.reason}</p>
              </div>
            ) : null}
            <p className="muted">
              {data.folder
                ? `Backups are kept in ${data.folder}${data.every ? `, one is made every ${hours(data.every)}` : ''}${data.keep ? `, the newest ${data.keep} are kept` : ''}.`
                : 'No folder is set for backups by the clock: GATEWAY_BACKUP_DIR names it.'}
            </p>
            <List
              label="Backups"
              rows={data.backups}
              id={(copy) => copy.name}
              empty="No backups yet."
              columns={[
                {
                  name: 'Name',
                  cell: (copy) => (
                    <>
                      <span className="break">{copy.name}</span> {copy.broken ? <Badge tone="bad">did not verify</Badge> : copy.name.startsWith('before-restore-') ? <Badge>before a restore</Badge> : null}
                    </>
                  ),
                },
                { name: 'Made', cell: (copy) => moment(copy.made_at) },
                { name: 'Size', end: true, cell: (copy) => bytes(copy.bytes) },
              ]}
              actions={(copy) =>
                copy.broken ? null : (
                  <>
                    <Button disabled={working !== ''} aria-label={`Verify ${copy.name}`} onClick={() => run(`Verifying ${copy.name}`, path(copy.name, 'verify'), {}, (answer) => answer.text || 'The backup is whole.')}>
                      Verify
                    </Button>{' '}
                    <Button look="danger" disabled={session.read_only || working !== ''} aria-label={`Restore ${copy.name}`} onClick={() => setRestored(copy.name)}>
                      Restore
                    </Button>
                  </>
                )
              }
            />
          </>
        )}
      </Loaded>
      {restored ? (
        <Confirm
          title="Restore backup"
          action="Restore backup"
          typed={restored}
          onClose={() => setRestored('')}
          onConfirm={async () => run(`Restoring ${restored}`, path(restored, 'restore'), { confirm: restored }, (answer) => answer.text || 'Restored.')}
        >
          <p>Everything in the database, the deployed functions and the files of storage are replaced by {restored}. A backup of what is there now is made first; nothing is written meanwhile.</p>
          <p>Until the last step it can be stopped, and so it is when this page goes away: then everything stays as it is. Sessions of this console end with a restore that goes back before they began.</p>
        </Confirm>
      ) : null}
    </Page>
  )
}
