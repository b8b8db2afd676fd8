import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../lib/api'
import { moment, plain, pretty } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm, FormDialog, ShownOnce } from '../parts/dialog'
import { SelectField, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page, Section } from '../parts/page'
import { Loaded } from '../parts/states'

interface Key {
  id: string
  kind: string
  name: string
  prefix?: string | null
  created?: string | null
  last_used?: string | null
  ends?: string | null
}

const rotated = [
  { value: 'secret', label: 'secret key' },
  { value: 'publishable', label: 'publishable key' },
  { value: 'legacy', label: 'legacy JWT secret (anon and service_role keys)' },
  { value: 'session', label: 'session secret' },
]
const algorithms = ['ES256', 'RS256', 'HS256']
/** What tokens are signed with; the rest lets applications in. */
const isSigning = (key: Key) => algorithms.includes(key.kind)
const states: Record<string, string> = { signs: 'current key', 'signs soon': 'current key in a few seconds', standby: 'standby key', verifies: 'previously used' }

export function Keys() {
  const session = useSession()
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => api<Key[]>('keys', { signal }) })
  const [open, setOpen] = useState<'new' | 'rotate' | 'standby' | 'rotate-signing' | null>(null)
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
          <>
          <List
            label="Keys"
            rows={rows.filter((key) => !isSigning(key))}
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
          <Section
            title="JWT signing keys"
            actions={
              <>
                <Button disabled={session.read_only || rows.some((key) => isSigning(key) && key.name === 'standby')} onClick={() => setOpen('standby')}>
                  Create standby key
                </Button>
                <Button disabled={session.read_only} onClick={() => setOpen('rotate-signing')}>
                  Rotate signing key
                </Button>
              </>
            }
          >
            <p className="muted">The current key signs the tokens of users. A standby key is published already and signs from the next rotation on; a previously used one verifies what it signed until it ends or is revoked.</p>
            <List
              label="JWT signing keys"
              rows={rows.filter(isSigning)}
              id={(key) => key.id}
              empty="Tokens are signed by a secret of the settings."
              columns={[
                { name: 'Key ID', cell: (key) => <code className="break">{key.id}</code> },
                { name: 'State', cell: (key) => <Badge tone={key.name.startsWith('signs') ? 'good' : key.name === 'standby' ? 'warn' : 'calm'}>{states[key.name] ?? key.name}</Badge> },
                { name: 'Algorithm', cell: (key) => key.kind },
                { name: 'Ends', wide: true, cell: (key) => moment(key.ends) },
              ]}
              actions={(key) =>
                key.name.startsWith('signs') ? null : (
                  <Button look="danger" disabled={session.read_only} aria-label={`Revoke signing key ${key.id}`} onClick={() => setDoomed(key)}>
                    Revoke
                  </Button>
                )
              }
            />
          </Section>
          </>
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
      {open === 'standby' ? <Standby onClose={() => setOpen(null)} onDone={() => void act('Standby', async () => undefined, 'A standby key is published')} /> : null}
      {open === 'rotate-signing' ? <RotateSigning keys={(keys.data ?? []).filter(isSigning)} onClose={() => setOpen(null)} onDone={() => void act('Rotate', async () => undefined, 'The signing key is rotated')} /> : null}
      {doomed ? (
        <Confirm
          title={isSigning(doomed) ? 'Revoke signing key' : 'Revoke key'}
          action="Revoke key"
          typed={isSigning(doomed) ? doomed.id : doomed.name}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await api(`keys/${encodeURIComponent(doomed.id)}`, { method: 'DELETE' })
            void act('Revoke', async () => undefined, 'Key revoked')
          }}
        >
          {isSigning(doomed) ? <p>{doomed.name === 'standby' ? 'It has signed nothing yet.' : 'Tokens that it signed are refused from now on: whoever holds one signs in again, or refreshes.'}</p> : <p>Whoever uses {doomed.name} is refused from now on.</p>}
        </Confirm>
      ) : null}
      {shown ? <Once made={shown} onClose={() => setShown(null)} /> : null}
    </Page>
  )
}

function Once({ made, onClose }: { made: unknown; onClose: () => void }) {
  const fields = made as { key?: string | null; secret_access_key?: string }
  const text = fields.key ?? fields.secret_access_key ?? ''
  return <ShownOnce title="The key, shown once" label="New key" text={text || pretty(made)} copy={text ? 'Copy key' : undefined} onClose={onClose} />
}

function NewKey({ onMade, onClose }: { onMade: (made: unknown) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState('secret')
  return (
    <FormDialog
      title="New key"
      action="Create key"
      ready={name.trim() !== ''}
      onClose={onClose}
      onSubmit={() => api<unknown>('keys', { method: 'POST', body: { name: name.trim(), kind } })}
      onDone={onMade}
    >
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value)} options={['secret', 'publishable', 's3']} />
    </FormDialog>
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
      <SelectField label="The former key stays good for" value={grace} onChange={(event) => setGrace(event.target.value)} options={graces} />
    </Confirm>
  )
}

const graces = [
  { value: '0s', label: 'no time: it ends at once' },
  { value: '1h', label: 'one hour' },
  { value: '24h', label: 'one day' },
  { value: '168h', label: 'one week' },
]

function Standby({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [alg, setAlg] = useState('ES256')
  return (
    <Confirm title="Create standby key" action="Create standby key" calm onClose={onClose} onConfirm={() => api('keys/standby', { method: 'POST', body: { alg } }).then(onDone)}>
      <p>It is published among the public keys and signs nothing until the signing key is rotated: whoever verifies tokens elsewhere has read it by then.</p>
      <SelectField label="Algorithm" value={alg} onChange={(event) => setAlg(event.target.value)} options={algorithms} />
    </Confirm>
  )
}

function RotateSigning({ keys, onDone, onClose }: { keys: readonly Key[]; onDone: () => void; onClose: () => void }) {
  const [grace, setGrace] = useState('until-revoked')
  const [alg, setAlg] = useState('ES256')
  const standby = keys.find((key) => key.name === 'standby')
  return (
    <Confirm title="Rotate signing key" action="Rotate signing key" typed="rotate" onClose={onClose} onConfirm={() => api('keys/signing/rotate', { method: 'POST', body: { grace, alg } }).then(onDone)}>
      <p>{standby ? `The standby key ${standby.id} signs new tokens from now on.` : 'No key stands by: a new one is made and signs from now on. Who verifies tokens elsewhere has to read it first.'} Nobody is signed out while the former key is good.</p>
      {standby ? null : <SelectField label="Algorithm" value={alg} onChange={(event) => setAlg(event.target.value)} options={algorithms} />}
      <SelectField label="The former key is good" value={grace} onChange={(event) => setGrace(event.target.value)} options={[{ value: 'until-revoked', label: 'until it is revoked' }, ...graces]} />
    </Confirm>
  )
}
