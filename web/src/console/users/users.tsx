import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { contract } from '../lib/api'
import { count, moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { CheckField, SearchField, TextArea, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page } from '../parts/page'
import { Failure, Loaded } from '../parts/states'
import { usePeople } from '../tables/as-whom'

export interface User {
  id: string
  email?: string | null
  phone?: string | null
  created_at?: string
  last_sign_in_at?: string | null
  email_confirmed_at?: string | null
  phone_confirmed_at?: string | null
  banned_until?: string | null
  invited_at?: string | null
  is_anonymous?: boolean
  role?: string
  app_metadata?: Record<string, unknown>
  user_metadata?: Record<string, unknown>
}

export function isBanned(user: Pick<User, 'banned_until'>, now: number = Date.now()): boolean {
  return Boolean(user.banned_until) && new Date(user.banned_until ?? 0).getTime() > now
}

export function StateOf({ user }: { user: User }) {
  if (isBanned(user)) return <Badge tone="bad">banned</Badge>
  if (user.is_anonymous) return <Badge>anonymous</Badge>
  if (user.email_confirmed_at || user.phone_confirmed_at) return <Badge tone="good">confirmed</Badge>
  return <Badge tone="warn">{user.invited_at ? 'invited' : 'waiting'}</Badge>
}

const PER_PAGE = 50

export function Users() {
  const session = useSession()
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  const people = usePeople(text, page, PER_PAGE)
  const open = params.get('new')
  const close = () => setParams({})
  return (
    <Page
      title="Users"
      actions={
        <>
          <Button disabled={session.read_only} onClick={() => setParams({ new: 'invite' })}>
            Invite user
          </Button>
          <Button look="primary" icon={<UserPlus aria-hidden="true" />} disabled={session.read_only} onClick={() => setParams({ new: 'user' })}>
            Create user
          </Button>
        </>
      }
    >
      <SearchField
        label="Search users"
        placeholder="Search by email, phone or id"
        value={text}
        onChange={(next) => {
          setText(next)
          setPage(1)
        }}
      />
      <Loaded result={people}>
        {(data) => (
          <>
            <List<User>
              label="Users"
              rows={data.users}
              id={(user) => user.id}
              empty={text === '' ? 'Nobody has signed up yet.' : 'Nobody is found by that.'}
              columns={[
                { name: 'User', cell: (user) => <Link to={`/users/${user.id}`}>{user.email || user.phone || user.id}</Link> },
                { name: 'State', cell: (user) => <StateOf user={user} /> },
                { name: 'Role', wide: true, cell: (user) => String(user.app_metadata?.role ?? user.role ?? '') },
                { name: 'Provider', cell: (user) => String(user.app_metadata?.provider ?? '–') },
                { name: 'Created', wide: true, cell: (user) => moment(user.created_at) },
                { name: 'Last sign-in', cell: (user) => moment(user.last_sign_in_at) },
              ]}
            />
            <nav className="row" aria-label="Pages">
              <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
                Previous page
              </Button>
              <span className="muted">
                Page {page}
                {data.total === undefined ? '' : ` of ${count(Math.max(1, Math.ceil(data.total / PER_PAGE)))}, ${count(data.total)} users`}
              </span>
              <Button disabled={data.users.length < PER_PAGE} onClick={() => setPage(page + 1)}>
                Next page
              </Button>
            </nav>
          </>
        )}
      </Loaded>
      {open === 'user' ? <CreateUser onClose={close} /> : null}
      {open === 'invite' ? <InviteUser onClose={close} /> : null}
    </Page>
  )
}

function metadata(text: string): Record<string, unknown> | undefined {
  return text.trim() === '' ? undefined : (JSON.parse(text) as Record<string, unknown>)
}

function CreateUser({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const { act, busy } = useAct('people')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [confirm, setConfirm] = useState(true)
  const [data, setData] = useState('')
  const [error, setError] = useState<unknown>(null)
  const save = () =>
    void act('Create user', async () => {
      try {
        const user = await contract<User>('auth/v1/admin/users', { method: 'POST', body: { email: email.trim(), password: password || undefined, email_confirm: confirm, user_metadata: metadata(data) } })
        onClose()
        void navigate(`/users/${user.id}`)
      } catch (failed) {
        setError(failed)
        throw failed
      }
    }, 'User created')
  return (
    <Dialog
      title="Create user"
      onClose={onClose}
      onSubmit={save}
      locked={busy !== ''}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy !== ''}>
            Create user
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      <TextField label="Email" type="email" value={email} onChange={(event) => setEmail(event.target.value)} required />
      <TextField label="Password" type="password" autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} hint="Without one, the person signs in by a link" />
      <CheckField label="Auto confirm user" checked={confirm} onChange={(event) => setConfirm(event.target.checked)} hint="No letter is sent; the address counts as confirmed" />
      <TextArea label="User metadata" value={data} onChange={(event) => setData(event.target.value)} placeholder="{}" />
    </Dialog>
  )
}

function InviteUser({ onClose }: { onClose: () => void }) {
  const { act, busy } = useAct('people')
  const [email, setEmail] = useState('')
  const [error, setError] = useState<unknown>(null)
  const send = () =>
    void act('Invite user', async () => {
      try {
        await contract('auth/v1/invite', { method: 'POST', body: { email: email.trim() } })
        onClose()
      } catch (failed) {
        setError(failed)
        throw failed
      }
    }, 'Invitation sent')
  return (
    <Dialog
      title="Invite user"
      onClose={onClose}
      onSubmit={send}
      locked={busy !== ''}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy !== ''}>
            Send invitation
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      <TextField label="Email" type="email" value={email} onChange={(event) => setEmail(event.target.value)} required />
    </Dialog>
  )
}
