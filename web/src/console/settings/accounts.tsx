import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../lib/api'
import { moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button, CopyButton } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { SelectField, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Code, Section } from '../parts/page'
import { Failure, Loaded } from '../parts/states'

interface Account {
  name: string
  kind: string
  password_set_at: string
  state: string
}

const kinds = [
  { value: 'all', label: 'Everything' },
  { value: 'read', label: 'Read only' },
  { value: 'records', label: 'Records alone' },
]

/** Who gets into the console by a name and a password. */
export function Accounts() {
  const session = useSession()
  const accounts = useQuery({ queryKey: ['accounts'], queryFn: ({ signal }) => api<Account[]>('accounts', { signal }) })
  const { act } = useAct('accounts')
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<{ name: string; password: string } | null>(null)
  const [doomed, setDoomed] = useState<{ name: string; does: 'remove' | 'password' } | null>(null)
  return (
    <Section
      title="Console accounts"
      actions={
        <Button disabled={session.read_only} onClick={() => setAdding(true)}>
          Add account
        </Button>
      }
    >
      <Loaded result={accounts} what="Reading the accounts">
        {(rows) => (
          <List
            label="Console accounts"
            rows={rows}
            id={(one) => one.name}
            empty="Nobody has an account: one signs in by a secret key or a code."
            columns={[
              { name: 'Name', cell: (one) => one.name },
              { name: 'May', cell: (one) => kinds.find(({ value }) => value === one.kind)?.label ?? one.kind },
              { name: 'Password set', wide: true, cell: (one) => moment(one.password_set_at) },
              { name: 'State', cell: (one) => <Badge tone={one.state === 'good' ? 'good' : 'warn'}>{one.state}</Badge> },
            ]}
            actions={(one) => (
              <>
                <Button disabled={session.read_only} aria-label={`New password for ${one.name}`} onClick={() => setDoomed({ name: one.name, does: 'password' })}>
                  New password
                </Button>{' '}
                <Button look="danger" disabled={session.read_only} aria-label={`Remove account ${one.name}`} onClick={() => setDoomed({ name: one.name, does: 'remove' })}>
                  Remove
                </Button>
              </>
            )}
          />
        )}
      </Loaded>
      {adding ? (
        <AddAccount
          onClose={() => setAdding(false)}
          onMade={(one) => {
            setMade(one)
            void act('Add account', async () => undefined)
          }}
        />
      ) : null}
      {doomed ? (
        <Confirm
          title={doomed.does === 'remove' ? 'Remove account' : 'New password'}
          action={doomed.does === 'remove' ? 'Remove account' : 'Make a new password'}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            const path = `accounts/${encodeURIComponent(doomed.name)}`
            if (doomed.does === 'remove') await api(path, { method: 'DELETE' })
            else setMade(await api<{ name: string; password: string }>(`${path}/password`, { method: 'POST', body: {} }))
            void act('Change', async () => undefined, doomed.does === 'remove' ? 'Account removed' : undefined)
          }}
        >
          <p>{doomed.does === 'remove' ? `${doomed.name} is signed out at once and does not get in again.` : `${doomed.name} is signed out at once; the former password holds no more.`}</p>
        </Confirm>
      ) : null}
      {made ? (
        <Dialog title="The password, shown once" locked onClose={() => setMade(null)} actions={<Button onClick={() => setMade(null)}>I have kept it</Button>}>
          <p>For {made.name}. Keep it now: it is not shown again.</p>
          <Code label="New password">{made.password}</Code>
          <CopyButton text={made.password} label="Copy password" />
        </Dialog>
      ) : null}
    </Section>
  )
}

function AddAccount({ onMade, onClose }: { onMade: (made: { name: string; password: string }) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState('read')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const make = () => {
    setBusy(true)
    api<{ name: string; password: string }>('accounts', { method: 'POST', body: { name: name.trim(), kind } })
      .then((made) => {
        onClose()
        onMade(made)
      }, setError)
      .finally(() => setBusy(false))
  }
  return (
    <Dialog
      title="Add account"
      onClose={onClose}
      locked={busy}
      onSubmit={make}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} disabled={name.trim() === ''}>
            Add account
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      <TextField label="Account name" value={name} autoCapitalize="none" onChange={(event) => setName(event.target.value)} hint="Such as an email address; a password is made" />
      <SelectField label="What it may do" value={kind} onChange={(event) => setKind(event.target.value)} options={kinds} />
    </Dialog>
  )
}
