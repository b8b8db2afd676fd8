import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { api } from '../lib/api'
import { count, milliseconds } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page, Section } from '../parts/page'
import { Failure, Loaded } from '../parts/states'

export interface Served {
  name: string
  version: string | null
  deployed_version?: string | null
  folder_version?: string | null
  state: string
  fault?: string | null
  verify_jwt?: boolean | null
  kind: string | null
  record?: boolean
  schedule: string | null
  secrets: string[]
  calls: number
  errors: number
  p50: number | null
  p99: number | null
}

interface Secret {
  name: string
  function?: string | null
  digest?: string | null
}

export function StateBadge({ state }: { state: string }) {
  return <Badge tone={state === 'broken' ? 'bad' : state === 'running' ? 'good' : 'calm'}>{state}</Badge>
}

export function Functions() {
  const session = useSession()
  const functions = useQuery({ queryKey: ['functions'], queryFn: ({ signal }) => api<Served[]>('functions', { signal }), refetchInterval: 15_000 })
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: ({ signal }) => api<Secret[]>('secrets', { signal }) })
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Secret | null>(null)
  const { act } = useAct('secrets', 'functions')
  return (
    <Page title="Functions" lead="Figures are of the last day">
      <Loaded result={functions}>
        {(rows) => (
          <List
            label="Functions"
            rows={rows}
            id={(row) => row.name}
            empty="No functions are served."
            columns={[
              { name: 'Name', cell: (row) => <Link to={`/functions/${encodeURIComponent(row.name)}`}>{row.name}</Link> },
              { name: 'State', cell: (row) => <StateBadge state={row.state} /> },
              { name: 'Kind', wide: true, cell: (row) => row.kind ?? '–' },
              { name: 'Version', wide: true, cell: (row) => <code>{row.version?.slice(0, 12) ?? '–'}</code> },
              { name: 'Calls', end: true, cell: (row) => count(row.calls) },
              { name: 'Errors', end: true, cell: (row) => (row.errors > 0 ? <Badge tone="bad">{count(row.errors)}</Badge> : '0') },
              { name: 'p50', end: true, cell: (row) => milliseconds(row.p50) },
              { name: 'p99', end: true, cell: (row) => milliseconds(row.p99) },
              { name: 'Schedule', wide: true, cell: (row) => row.schedule ?? '' },
            ]}
          />
        )}
      </Loaded>
      <Section
        title="Secrets"
        actions={
          <Button disabled={session.read_only} onClick={() => setAdding(true)}>
            Add secret
          </Button>
        }
      >
        <Loaded result={secrets}>
          {(rows) => (
            <List
              label="Secrets"
              rows={rows}
              id={(row) => `${row.function ?? ''}.${row.name}`}
              empty="No secrets are set."
              columns={[
                { name: 'Name', cell: (row) => <code>{row.name}</code> },
                { name: 'Function', cell: (row) => row.function || 'all that name it' },
                { name: 'Digest', wide: true, cell: (row) => <code>{row.digest?.slice(0, 16) ?? ''}</code> },
              ]}
              actions={(row) => (
                <Button look="danger" disabled={session.read_only} aria-label={`Delete secret ${row.name}`} onClick={() => setDoomed(row)}>
                  Delete
                </Button>
              )}
            />
          )}
        </Loaded>
      </Section>
      {adding ? <NewSecret names={functions.data?.map((row) => row.name) ?? []} onClose={() => setAdding(false)} onSaved={() => void act('Save', async () => undefined, 'Secret saved')} /> : null}
      {doomed ? (
        <Confirm
          title="Delete secret"
          action="Delete secret"
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await api(`secrets/${encodeURIComponent(doomed.name)}${doomed.function ? `?function=${encodeURIComponent(doomed.function)}` : ''}`, { method: 'DELETE' })
            void act('Delete', async () => undefined, 'Secret deleted')
          }}
        >
          <p>Functions that need {doomed.name} no longer find it.</p>
        </Confirm>
      ) : null}
    </Page>
  )
}

function NewSecret({ onClose, onSaved }: { names: string[]; onClose: () => void; onSaved: () => void }) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [only, setOnly] = useState('')
  const [error, setError] = useState<unknown>(null)
  const save = () => {
    api(`secrets/${encodeURIComponent(name.trim())}`, { method: 'PUT', body: { value, ...(only.trim() ? { function: only.trim() } : {}) } }).then(() => {
      onSaved()
      onClose()
    }, setError)
  }
  return (
    <Dialog
      title="Add secret"
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} placeholder="API_TOKEN" />
      <TextField label="Value" type="password" autoComplete="off" value={value} onChange={(event) => setValue(event.target.value)} hint="It is not shown again" />
      <TextField label="Function" value={only} onChange={(event) => setOnly(event.target.value)} hint="Empty: all functions that name it" />
    </Dialog>
  )
}
