import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router-dom'
import { api, contract } from '../lib/api'
import { moment, plain, pretty } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button, CopyButton } from '../parts/button'
import { Confirm, Dialog, FormDialog } from '../parts/dialog'
import { SelectField, TextArea, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Code, Facts, Page, Section } from '../parts/page'
import { Loaded } from '../parts/states'
import { StateOf, type User, isBanned } from './users'

interface Person {
  user: User
  identities: { id?: string; identity_id?: string; provider: string; email?: string | null; identity_data?: Record<string, unknown>; last_sign_in_at?: string | null }[]
  factors: { id: string; friendly_name?: string | null; factor_type: string; status: string; created_at?: string }[]
  sessions: { id: string; created_at: string; updated_at?: string | null; ip?: string | null; user_agent?: string | null; aal?: string | null }[]
  trail: Record<string, unknown>[]
}

type Open = 'ban' | 'delete' | 'link' | 'edit' | 'password' | 'out' | null

export function UserPage() {
  const { id = '' } = useParams()
  const session = useSession()
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open>(null)
  const [losing, setLosing] = useState<Person['factors'][number] | null>(null)
  const person = useQuery({ queryKey: ['person', id], queryFn: ({ signal }) => api<Person>(`people/${id}`, { signal }) })
  const { act, busy } = useAct('person', 'people')
  const locked = session.read_only || busy !== ''
  const close = () => setOpen(null)
  const update = (body: unknown) => contract(`auth/v1/admin/users/${id}`, { method: 'PUT', body })
  if (!person.data) {
    return (
      <Page title="User" lead={<Link to="/users">All users</Link>}>
        <Loaded result={person}>{() => null}</Loaded>
      </Page>
    )
  }
  return (
    <Loaded result={person}>
      {({ user, identities, factors, sessions, trail }) => (
        <Page
          title={user.email || user.phone || user.id}
          lead={
            <span className="row">
              <StateOf user={user} /> <code>{user.id}</code> <CopyButton text={user.id} label="Copy id" />
              <Link to="/users">All users</Link>
            </span>
          }
          actions={
            <>
              <Button disabled={locked} onClick={() => setOpen('edit')}>
                Edit user
              </Button>
              <Button disabled={locked} onClick={() => setOpen('link')}>
                Send or generate link
              </Button>
              <Button disabled={locked} onClick={() => setOpen('password')}>
                Set password
              </Button>
              {isBanned(user) ? (
                <Button disabled={locked} onClick={() => void act('Unban', () => update({ ban_duration: 'none' }), 'User unbanned')}>
                  Unban user
                </Button>
              ) : (
                <Button disabled={locked} onClick={() => setOpen('ban')}>
                  Ban user
                </Button>
              )}
              <Button look="danger" disabled={locked} onClick={() => setOpen('delete')}>
                Delete user
              </Button>
            </>
          }
        >
          <div className="columns">
            <Section title="Account">
              <Facts
                facts={[
                  ['Email', user.email],
                  ['Phone', user.phone || null],
                  ['Role', String(user.app_metadata?.role ?? user.role ?? '')],
                ['Providers', plain(user.app_metadata?.providers ?? user.app_metadata?.provider)],
                  ['Created', moment(user.created_at)],
                  ['Last sign-in', moment(user.last_sign_in_at)],
                  ['Confirmed', moment(user.email_confirmed_at ?? user.phone_confirmed_at)],
                  ['Banned until', moment(user.banned_until)],
                ]}
              />
              {user.email_confirmed_at || !user.email ? null : (
                <Button disabled={locked} onClick={() => void act('Confirm', () => update({ email_confirm: true }), 'Address confirmed')}>
                  Confirm email
                </Button>
              )}
            </Section>
            <Section title="Metadata">
              <h3>User metadata</h3>
              <Code label="User metadata">{pretty(user.user_metadata ?? {})}</Code>
              <h3>App metadata</h3>
              <Code label="App metadata">{pretty(user.app_metadata ?? {})}</Code>
            </Section>
          </div>
          <Section
            title="Sessions"
            actions={
              <Button look="danger" disabled={locked || sessions.length === 0} onClick={() => setOpen('out')}>
                Sign out everywhere
              </Button>
            }
          >
            <List
              label="Sessions"
              rows={sessions}
              id={(one) => one.id}
              empty="Signed in nowhere."
              columns={[
                { name: 'Since', cell: (one) => moment(one.created_at) },
                { name: 'Last used', cell: (one) => moment(one.updated_at) },
                { name: 'IP address', cell: (one) => one.ip ?? '–' },
                { name: 'Browser', wide: true, cell: (one) => one.user_agent ?? '–' },
                { name: 'Level', cell: (one) => one.aal ?? '–' },
              ]}
              actions={(one) => (
                <Button disabled={locked} aria-label={`Sign out the session of ${one.ip ?? one.id}`} onClick={() => void act('Sign out', () => api(`people/${id}/sessions/${one.id}`, { method: 'DELETE' }), 'Session ended')}>
                  Sign out
                </Button>
              )}
            />
          </Section>
          <div className="columns">
            <Section title="MFA factors">
              <List
                label="MFA factors"
                rows={factors}
                id={(factor) => factor.id}
                empty="No second factor."
                columns={[
                  { name: 'Name', cell: (factor) => factor.friendly_name || factor.id },
                  { name: 'Kind', cell: (factor) => factor.factor_type },
                  { name: 'State', cell: (factor) => <Badge tone={factor.status === 'verified' ? 'good' : 'warn'}>{factor.status}</Badge> },
                ]}
                actions={(one) => (
                  <Button look="danger" disabled={locked} aria-label={`Remove factor ${one.friendly_name || one.id}`} onClick={() => setLosing(one)}>
                    Remove
                  </Button>
                )}
              />
            </Section>
            <Section title="Identities">
              <List
                label="Identities"
                rows={identities}
                id={(identity) => identity.identity_id ?? identity.id ?? identity.provider}
                empty="No identities."
                columns={[
                  { name: 'Provider', cell: (identity) => identity.provider },
                  { name: 'Email', cell: (identity) => identity.email ?? plain(identity.identity_data?.email) },
                  { name: 'Last sign-in', cell: (identity) => moment(identity.last_sign_in_at) },
                ]}
              />
            </Section>
          </div>
          <Section title="Audit trail">
            <List
              label="Audit trail"
              rows={trail}
              id={(entry) => String(entry.id ?? JSON.stringify(entry))}
              empty="Nothing is recorded of this person."
              columns={[
                { name: 'When', cell: (entry) => moment(entry.created_at ?? entry.at) },
                { name: 'What', cell: (entry) => plain(entry.action ?? (entry.payload as Record<string, unknown> | undefined)?.action ?? entry.event) },
                { name: 'IP address', cell: (entry) => plain(entry.ip_address ?? entry.ip) },
                { name: 'Details', wide: true, cell: (entry) => <code className="break">{plain(entry.payload ?? entry.details)}</code> },
              ]}
            />
          </Section>
          {open === 'ban' ? <Ban name={user.email ?? user.id} onBan={(hours) => update({ ban_duration: hours })} onDone={() => void act('Ban', async () => undefined, 'User banned')} onClose={close} /> : null}
          {losing ? (
            <Confirm
              title="Remove factor"
              action="Remove factor"
              onClose={() => setLosing(null)}
              onConfirm={async () => {
                await contract(`auth/v1/admin/users/${id}/factors/${losing.id}`, { method: 'DELETE' })
                void act('Remove factor', async () => undefined, 'Factor removed')
              }}
            >
              <p>
                Remove {losing.friendly_name || losing.id} from {user.email ?? user.id}? Whoever knows the password then signs in without it, until another factor is set up.
              </p>
            </Confirm>
          ) : null}
          {open === 'delete' ? (
            <Confirm
              title="Delete user"
              action="Delete user"
              onClose={close}
              onConfirm={async () => {
                await contract(`auth/v1/admin/users/${id}`, { method: 'DELETE', body: { should_soft_delete: false } })
                void act('Delete', async () => undefined, 'User deleted')
                void navigate('/users')
              }}
            >
              <p>Delete {user.email ?? user.id}, the sessions, factors and identities? Rows that point to the user follow their foreign keys.</p>
            </Confirm>
          ) : null}
          {open === 'out' ? (
            <Confirm
              title="Sign out everywhere"
              action="Sign out"
              onClose={close}
              onConfirm={async () => {
                await api(`people/${id}/sessions`, { method: 'DELETE' })
                void act('Sign out', async () => undefined, 'Signed out everywhere')
              }}
            >
              <p>End all {sessions.length} sessions of {user.email ?? user.id}?</p>
            </Confirm>
          ) : null}
          {open === 'password' ? <Password onSave={(password) => act('Set password', () => update({ password }), 'Password set')} onClose={close} /> : null}
          {open === 'edit' ? <Edit user={user} onSave={(body) => update(body).then(() => act('Save', async () => undefined, 'User saved'))} onClose={close} /> : null}
          {open === 'link' ? <MakeLink email={user.email ?? ''} onClose={close} /> : null}
        </Page>
      )}
    </Loaded>
  )
}

function Ban({ name, onBan, onDone, onClose }: { name: string; onBan: (hours: string) => Promise<unknown>; onDone: () => void; onClose: () => void }) {
  const [hours, setHours] = useState('24h')
  return (
    <Confirm title="Ban user" action="Ban user" onClose={onClose} onConfirm={() => onBan(hours).then(onDone)}>
      <p>{name} cannot sign in or renew a session while the ban lasts.</p>
      <SelectField
        label="For how long"
        value={hours}
        onChange={(event) => setHours(event.target.value)}
        options={[
          { value: '1h', label: 'One hour' },
          { value: '24h', label: 'One day' },
          { value: '168h', label: 'One week' },
          { value: '876000h', label: 'For ever' },
        ]}
      />
    </Confirm>
  )
}

function Password({ onSave, onClose }: { onSave: (password: string) => Promise<boolean>; onClose: () => void }) {
  const [password, setPassword] = useState('')
  return (
    <Dialog
      title="Set password"
      onClose={onClose}
      onSubmit={() => void onSave(password).then((done) => done && onClose())}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={password === ''}>
            Save
          </Button>
        </>
      }
    >
      <TextField label="New password" type="password" autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} />
    </Dialog>
  )
}

function Edit({ user, onSave, onClose }: { user: User; onSave: (body: unknown) => Promise<unknown>; onClose: () => void }) {
  const [email, setEmail] = useState(user.email ?? '')
  const [phone, setPhone] = useState(user.phone ?? '')
  const [own, setOwn] = useState(pretty(user.user_metadata ?? {}))
  const [app, setApp] = useState(pretty(user.app_metadata ?? {}))
  const save = async () => {
    const body: Record<string, unknown> = { user_metadata: JSON.parse(own), app_metadata: JSON.parse(app) }
    if (email !== (user.email ?? '')) body.email = email
    if (phone !== (user.phone ?? '')) body.phone = phone
    await onSave(body)
  }
  return (
    <FormDialog title="Edit user" action="Save" onClose={onClose} onSubmit={save}>
      <TextField label="Email" type="email" value={email} onChange={(event) => setEmail(event.target.value)} />
      <TextField label="Phone" value={phone} onChange={(event) => setPhone(event.target.value)} />
      <TextArea label="User metadata" rows={6} value={own} onChange={(event) => setOwn(event.target.value)} />
      <TextArea label="App metadata" rows={6} value={app} onChange={(event) => setApp(event.target.value)} hint="Roles stand here, such as {&quot;role&quot;: &quot;admin&quot;}: the person cannot change it" />
    </FormDialog>
  )
}

const kinds = [
  { value: 'magiclink', label: 'Magic link' },
  { value: 'recovery', label: 'Password recovery' },
  { value: 'invite', label: 'Invitation' },
]

function MakeLink({ email, onClose }: { email: string; onClose: () => void }) {
  const [kind, setKind] = useState('magiclink')
  const [link, setLink] = useState('')
  const { act, busy } = useAct('person')
  const make = () =>
    void act('Generate link', async () => {
      const answer = await contract<{ action_link?: string; properties?: { action_link?: string } }>('auth/v1/admin/generate_link', { method: 'POST', body: { type: kind, email } })
      setLink(answer.action_link ?? answer.properties?.action_link ?? '')
    })
  const recover = () => void act('Send', () => contract('auth/v1/recover', { method: 'POST', body: { email } }), 'Password recovery sent')
  const magic = () => void act('Send', () => contract('auth/v1/otp', { method: 'POST', body: { email, create_user: false } }), 'Magic link sent')
  return (
    <Dialog
      title="Send or generate link"
      guarded={false}
      onClose={onClose}
      onSubmit={make}
      actions={
        <>
          <Button onClick={recover} disabled={busy !== '' || email === ''}>
            Send password recovery
          </Button>
          <Button onClick={magic} disabled={busy !== '' || email === ''}>
            Send magic link
          </Button>
          <Button type="submit" look="primary" busy={busy !== ''} disabled={email === ''}>
            Generate link
          </Button>
        </>
      }
    >
      <p className="muted">{email === '' ? 'Without an email address there is nowhere to send a link.' : `To ${email}: send one by mail, or generate one to hand on yourself.`}</p>
      <SelectField label="Link type" value={kind} onChange={(event) => (setKind(event.target.value), setLink(''))} options={kinds} />
      {link ? (
        <>
          <Code label="Link">{link}</Code>
          <p className="hint">Whoever opens it is signed in as {email}. It works once.</p>
          <CopyButton text={link} label="Copy link" />
        </>
      ) : null}
    </Dialog>
  )
}
