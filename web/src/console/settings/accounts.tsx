import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../lib/api'
import { moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm, FormDialog, ShownOnce } from '../parts/dialog'
import { SelectField, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Section } from '../parts/page'
import { Loaded } from '../parts/states'

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
  const [made, setMade] = useState<Made | null>(null)
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
            else setMade(await api<Made>(`${path}/password`, { method: 'POST', body: {} }))
            void act('Change', async () => undefined, doomed.does === 'remove' ? 'Account removed' : undefined)
          }}
        >
          <p>{doomed.does === 'remove' ? `${doomed.name} is signed out at once and does not get in again.` : `${doomed.name} is signed out at once; the former password holds no more.`}</p>
        </Confirm>
      ) : null}
      {made ? (
        <ShownOnce title="The password, shown once" label="New password" text={made.password} copy="Copy password" onClose={() => setMade(null)}>
          For {made.name}.
        </ShownOnce>
      ) : null}
    </Section>
  )
}

interface Made {
  name: string
  password: string
}

function AddAccount({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState('read')
  return (
    <FormDialog
      title="Add account"
      action="Add account"
      ready={name.trim() !== ''}
      onClose={onClose}
      onSubmit={() => api<Made>('accounts', { method: 'POST', body: { name: name.trim(), kind } })}
      onDone={onMade}
    >
      <TextField label="Account name" value={name} autoCapitalize="none" onChange={(event) => setName(event.target.value)} hint="Such as an email address; a password is made" />
      <SelectField label="What it may do" value={kind} onChange={(event) => setKind(event.target.value)} options={kinds} />
    </FormDialog>
  )
}
