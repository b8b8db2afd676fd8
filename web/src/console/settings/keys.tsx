import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../lib/api'
import { moment, plain, pretty } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button, CopyButton } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { SelectField, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Code, Page } from '../parts/page'
import { Failure, Loaded } from '../parts/states'

interface Key {
  id: string
  kind: string
  name: string
  prefix?: string | null
  created?: string | null
  last_used?: string | null
  ends?: string | null
}

const rotated = ['secret', 'publishable', 'signing', 'legacy', 'session']

export function Keys() {
  const session = useSession()
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => api<Key[]>('keys', { signal }) })
  const [open, setOpen] = useState<'new' | 'rotate' | null>(null)
  const [doomed, setDoomed] = useState<Key | null>(null)
  const [shown, setShown] = useState<unknown>(null)
  const { act } = useAct('keys')
  return (
    <Page
      title="API keys"
      actions={
        <>
          <Button disabled={session.read_only} onClick={() => setOpen('rotate')}>
            Rotate key
          </Button>
          <Button look="primary" disabled={session.read_only} onClick={() => setOpen('new')}>
            New key
          </Button>
        </>
      }
    >
      <Loaded result={keys} what="Reading the keys">
        {(rows) => (
          <List
            label="Keys"
            rows={rows}
            id={(key) => key.kind + key.id}
            empty="No keys."
            columns={[
              { name: 'Name', cell: (key) => key.name },
              { name: 'Kind', cell: (key) => key.kind },
              { name: 'Begins with', cell: (key) => <code>{key.prefix ?? key.id.slice(0, 16)}</code> },
              { name: 'Created', wide: true, cell: (key) => moment(key.created) },
              { name: 'Last used', cell: (key) => (typeof key.last_used === 'string' || typeof key.last_used === 'number' ? moment(key.last_used) : plain(key.last_used)) },
              { name: 'Ends', wide: true, cell: (key) => moment(key.ends) },
            ]}
            actions={(key) =>
              key.id === key.kind ? null : (
                <Button look="danger" disabled={session.read_only} aria-label={`Revoke key ${key.name}`} onClick={() => setDoomed(key)}>
                  Revoke
                </Button>
              )
            }
          />
        )}
      </Loaded>
      {open === 'new' ? (
        <NewKey
          onClose={() => setOpen(null)}
          onMade={(made) => {
            setShown(made)
            void act('New key', async () => undefined)
          }}
        />
      ) : null}
      {open === 'rotate' ? (
        <Rotate
          onClose={() => setOpen(null)}
          onDone={(made) => {
            setShown(made)
            void act('Rotate', async () => undefined)
          }}
        />
      ) : null}
      {doomed ? (
        <Confirm
          title="Revoke key"
          action="Revoke key"
          typed={doomed.name}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await api(`keys/${encodeURIComponent(doomed.id)}`, { method: 'DELETE' })
            void act('Revoke', async () => undefined, 'Key revoked')
          }}
        >
          <p>Whoever uses {doomed.name} is refused from now on.</p>
        </Confirm>
      ) : null}
      {shown ? <Once made={shown} onClose={() => setShown(null)} /> : null}
    </Page>
  )
}

function Once({ made, onClose }: { made: unknown; onClose: () => void }) {
  const fields = made as { key?: string | null; secret_access_key?: string }
  const text = fields.key ?? fields.secret_access_key ?? ''
  return (
    <Dialog title="The key, shown once" onClose={onClose} actions={<Button onClick={onClose}>I have kept it</Button>}>
      <p>Keep it now: it is not shown again.</p>
      <Code label="New key">{text || pretty(made)}</Code>
      {text ? <CopyButton text={text} label="Copy key" /> : null}
    </Dialog>
  )
}

function NewKey({ onMade, onClose }: { onMade: (made: unknown) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState('secret')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const make = () => {
    setBusy(true)
    api<unknown>('keys', { method: 'POST', body: { name: name.trim(), kind } })
      .then((made) => {
        onClose()
        onMade(made)
      }, setError)
      .finally(() => setBusy(false))
  }
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      onSubmit={make}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} disabled={name.trim() === ''}>
            Create key
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value)} options={['secret', 'publishable', 's3']} />
    </Dialog>
  )
}

function Rotate({ onDone, onClose }: { onDone: (made: unknown) => void; onClose: () => void }) {
  const [kind, setKind] = useState('secret')
  const [grace, setGrace] = useState('24h')
  return (
    <Confirm
      title="Rotate key"
      action="Rotate key"
      typed={kind}
      onClose={onClose}
      onConfirm={async () => {
        const made = await api<{ key?: string | null }>(`keys/${kind}/rotate`, { method: 'POST', body: { grace } })
        if (made.key) onDone(made)
        else onDone(null)
      }}
    >
      <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value)} options={rotated} />
      <SelectField label="The former key stays good for" value={grace} onChange={(event) => setGrace(event.target.value)} options={['1h', '24h', '168h']} />
    </Confirm>
  )
}
