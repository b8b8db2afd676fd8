import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../lib/api'
import { bytes, moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm } from '../parts/dialog'
import { List } from '../parts/list'
import { Page } from '../parts/page'
import { Failure, Loaded } from '../parts/states'

interface Copy {
  name: string
  bytes: number
  made_at: string | null
}

export function Backups() {
  const session = useSession()
  const copies = useQuery({ queryKey: ['backups'], queryFn: ({ signal }) => api<{ folder: string | null; backups: Copy[] }>('backups', { signal }) })
  const [working, setWorking] = useState('')
  const [note, setNote] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [restored, setRestored] = useState('')
  const stop = useRef<AbortController | null>(null)
  const { act } = useAct('backups')
  const run = (what: string, path: string, done: (answer: { text?: string; name?: string }) => string) => {
    stop.current = new AbortController()
    setWorking(what)
    setError(null)
    setNote('')
    api<{ text?: string; name?: string }>(path, { method: 'POST', body: {}, signal: stop.current.signal })
      .then(
        (answer) => {
          setNote(done(answer))
          void act(what, async () => undefined)
        },
        (failed: unknown) => setError(stop.current?.signal.aborted ? new Error('Stopped.') : failed),
      )
      .finally(() => setWorking(''))
  }
  return (
    <Page
      title="Backups"
      actions={
        <Button look="primary" disabled={session.read_only || working !== ''} onClick={() => run('Making a backup', 'backups', (answer) => `Made ${answer.name ?? ''}`)}>
          New backup
        </Button>
      }
    >
      {working ? (
        <div className="pending" role="status">
          <span className="grow">
            {working}…
            <progress aria-label={working} />
          </span>
          <Button onClick={() => stop.current?.abort()}>Stop</Button>
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
            <p className="muted">{data.folder ? `Backups are kept in ${data.folder}.` : 'No folder is set for backups by the clock: GATEWAY_BACKUP_DIR names it.'}</p>
            <List
              label="Backups"
              rows={data.backups}
              id={(copy) => copy.name}
              empty="No backups yet."
              columns={[
                { name: 'Name', cell: (copy) => copy.name },
                { name: 'Made', cell: (copy) => moment(copy.made_at) },
                { name: 'Size', end: true, cell: (copy) => bytes(copy.bytes) },
              ]}
              actions={(copy) => (
                <>
                  <Button disabled={working !== ''} aria-label={`Verify ${copy.name}`} onClick={() => run(`Verifying ${copy.name}`, `backups/${encodeURIComponent(copy.name)}/verify`, (answer) => answer.text || 'The backup is whole.')}>
                    Verify
                  </Button>{' '}
                  <Button look="danger" disabled={session.read_only || working !== ''} aria-label={`Restore ${copy.name}`} onClick={() => setRestored(copy.name)}>
                    Restore
                  </Button>
                </>
              )}
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
          onConfirm={async () => {
            const answer = await api<{ text?: string }>(`backups/${encodeURIComponent(restored)}/restore`, { method: 'POST', body: { confirm: restored } })
            setNote(answer.text || 'Restored.')
          }}
        >
          <p>Everything in the database is replaced by {restored}. A backup of what is there now is made first.</p>
        </Confirm>
      ) : null}
    </Page>
  )
}
