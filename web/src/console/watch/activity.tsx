import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../lib/api'
import { bytes, count, milliseconds, moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm } from '../parts/dialog'
import { CheckField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Facts, Page, Section } from '../parts/page'
import { Empty, Loaded } from '../parts/states'

interface Connection {
  pid: number
  role: string | null
  application: string | null
  address: string | null
  state: string | null
  waits_for?: string | null
  since: string
  transaction_since: string | null
  query: string
  blocked_by?: number[]
}

interface Now {
  connections: Connection[]
  locks: { pid: number; kind: string; mode: string; granted: boolean; relation: string | null }[]
  slow: { query: string; calls: number; total_ms: number; mean_ms: number; rows: number }[] | null
  disk: { free: number; total: number; database: number }
  cache_hits: number | null
  lag: { kind: string; name: string; state: string; bytes: number }[]
}

function works(one: Connection): boolean {
  return one.state !== 'idle' && one.state !== null
}

export function Activity() {
  const session = useSession()
  const [idle, setIdle] = useState(false)
  const [doomed, setDoomed] = useState<Connection | null>(null)
  const { act, busy } = useAct('now')
  const now = useQuery({ queryKey: ['now'], queryFn: ({ signal }) => api<Now>('sight/now', { signal }), refetchInterval: 5000 })
  return (
    <Page title="Activity" lead="What the database does at this moment">
      <Loaded result={now}>
        {(data) => (
          <>
            <Section title="Disk and cache">
              <Facts
                facts={[
                  ['Database', bytes(data.disk.database)],
                  ['Free', bytes(data.disk.free)],
                  ['Whole disk', bytes(data.disk.total)],
                  ['Cache hit rate of Postgres', data.cache_hits === null ? '–' : `${(data.cache_hits * 100).toFixed(1)} %`],
                ]}
              />
            </Section>
            <Section title="Locks">
              <List
                label="Locks"
                rows={data.locks.map((lock, index) => ({ ...lock, key: String(index) }))}
                id={(lock) => lock.key}
                empty="Nobody waits for a lock."
                columns={[
                  { name: 'Pid', end: true, cell: (lock) => lock.pid },
                  { name: 'Relation', cell: (lock) => lock.relation ?? lock.kind },
                  { name: 'Mode', cell: (lock) => lock.mode },
                  { name: 'State', cell: (lock) => <Badge tone={lock.granted ? 'good' : 'bad'}>{lock.granted ? 'held' : 'waits'}</Badge> },
                ]}
              />
            </Section>
            <Section title="Slow queries">
              {data.slow === null ? (
                <Empty title="pg_stat_statements is not installed in this database.">
                  <p>
                    Load it with the server (<code>shared_preload_libraries</code>), then run <code>create extension pg_stat_statements</code>.
                  </p>
                </Empty>
              ) : (
                <List
                  label="Slow queries"
                  rows={data.slow.map((row, index) => ({ ...row, key: String(index) }))}
                  id={(row) => row.key}
                  empty="Nothing is counted yet."
                  columns={[
                    { name: 'Query', cell: (row) => <code className="break">{row.query.slice(0, 400)}</code> },
                    { name: 'Calls', end: true, cell: (row) => count(row.calls) },
                    { name: 'Mean', end: true, cell: (row) => milliseconds(row.mean_ms) },
                    { name: 'In all', end: true, cell: (row) => milliseconds(row.total_ms) },
                    { name: 'Rows', end: true, cell: (row) => count(row.rows) },
                  ]}
                />
              )}
            </Section>
            <Section title="Connections" actions={<CheckField label="Idle ones too" checked={idle} onChange={(event) => setIdle(event.target.checked)} />}>
              <p className="muted">
                {count(data.connections.length)} in all, {count(data.connections.filter(works).length)} at work or in a transaction.
              </p>
              <List
                label="Connections"
                rows={data.connections.filter((one) => idle || works(one))}
                id={(one) => String(one.pid)}
                empty="Every other connection is idle."
                columns={[
                  { name: 'Pid', end: true, cell: (one) => one.pid },
                  { name: 'Role', cell: (one) => one.role ?? '' },
                  { name: 'Program', wide: true, cell: (one) => one.application ?? '' },
                  { name: 'State', cell: (one) => <>{one.state ?? ''} {one.blocked_by?.length ? <Badge tone="bad">waits for {one.blocked_by.join(', ')}</Badge> : null}</> },
                  { name: 'Transaction since', wide: true, cell: (one) => moment(one.transaction_since) },
                  { name: 'Query', cell: (one) => <code className="break">{one.query.slice(0, 200)}</code> },
                ]}
                actions={(one) => (
                  <>
                    <Button disabled={session.read_only || busy !== '' || one.state !== 'active'} aria-label={`Cancel the statement of ${one.pid}`} onClick={() => void act('Cancel', () => api('sight/end', { method: 'POST', body: { pid: one.pid, cancel: true } }), 'Cancelled')}>
                      Cancel
                    </Button>{' '}
                    <Button look="danger" disabled={session.read_only} aria-label={`End connection ${one.pid}`} onClick={() => setDoomed(one)}>
                      End
                    </Button>
                  </>
                )}
              />
            </Section>
            <Section title="Replication lag">
              <List
                label="Replication lag"
                rows={data.lag}
                id={(row) => row.kind + row.name}
                empty="No replicas and no slots."
                columns={[
                  { name: 'Name', cell: (row) => row.name },
                  { name: 'Kind', cell: (row) => row.kind },
                  { name: 'State', cell: (row) => row.state },
                  { name: 'Behind by', end: true, cell: (row) => bytes(row.bytes) },
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
      {doomed ? (
        <Confirm title="End connection" action="End connection" onClose={() => setDoomed(null)} onConfirm={() => api('sight/end', { method: 'POST', body: { pid: doomed.pid } }).then(() => act('End', async () => undefined, 'Ended'))}>
          <p>
            Connection {doomed.pid} of {doomed.role} ends, and its transaction is rolled back.
          </p>
        </Confirm>
      ) : null}
    </Page>
  )
}
