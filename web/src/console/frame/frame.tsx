import { Keyboard, LogOut, Moon, Search, Sun } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { NavLink, useLocation, useNavigate } from 'react-router-dom'
import { anyUnsaved } from '../lib/kept'
import { useDoor, useRecordsAlone, useSession } from '../lib/session'
import { usePreference } from '../lib/store'
import { type Theme, applyTheme } from '../lib/theme'
import { Button, IconButton } from '../parts/button'
import { Dialog, Discard } from '../parts/dialog'
import { Badge } from '../parts/page'
import { Brand, rooms, roomsFor } from './rooms'
import { type Command, Palette } from './palette'

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

export function Frame({ children }: { children: ReactNode }) {
  const session = useSession()
  const { signOut } = useDoor()
  const recordsAlone = useRecordsAlone()
  const offered = useMemo(() => roomsFor(recordsAlone), [recordsAlone])
  const groups = [...new Set(offered.map((room) => room.group))]
  const navigate = useNavigate()
  const [theme, setTheme] = usePreference<Theme>('theme', 'system')
  const [palette, setPalette] = useState(false)
  const [help, setHelp] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const leave = useCallback(() => {
    if (anyUnsaved()) setLeaving(true)
    else void signOut()
  }, [signOut])
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()

  useEffect(() => applyTheme(theme), [theme])
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    if (main.current) main.current.scrollTop = 0
  }, [pathname])
  // Before the first paint: a key pressed as soon as the page is there counts.
  useLayoutEffect(() => {
    let waiting = 0
    const keys = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        setPalette(true)
        return
      }
      // The editor of SQL lives behind a shadow root, which hides where the event began.
      if (typing(event.composedPath()[0] ?? null) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
      if (event.key === '?') setHelp(true)
      else if (event.key === 'g') waiting = Date.now()
      else if (Date.now() - waiting < 1500) {
        const room = offered.find((one) => one.key === event.key)
        waiting = 0
        if (room) void navigate(room.path)
      }
    }
    window.addEventListener('keydown', keys)
    return () => window.removeEventListener('keydown', keys)
  }, [navigate, offered])

  const dark = document.documentElement.dataset.theme === 'dark'
  const extra = useMemo<Command[]>(
    () => [
      { name: 'Use dark theme', kind: 'Theme', run: () => setTheme('dark') },
      { name: 'Use light theme', kind: 'Theme', run: () => setTheme('light') },
      { name: 'Use system theme', kind: 'Theme', run: () => setTheme('system') },
      ...(recordsAlone
        ? []
        : [
            { name: 'New table', kind: 'Schema', words: 'create collection', run: () => void navigate('/schema?new=table') },
            { name: 'New policy', kind: 'Schema', words: 'create rls', run: () => void navigate('/schema?new=policy') },
            { name: 'Create user', kind: 'Users', words: 'add new person account', run: () => void navigate('/users?new=user') },
            { name: 'Invite user', kind: 'Users', words: 'invitation mail', run: () => void navigate('/users?new=invite') },
            { name: 'New bucket', kind: 'Storage', words: 'create storage', run: () => void navigate('/storage?new=bucket') },
          ]),
      { name: 'Keyboard shortcuts', kind: 'Help', run: () => setHelp(true) },
      { name: 'Sign out', kind: 'Session', words: 'log out logout', run: leave },
    ],
    [navigate, setTheme, leave, recordsAlone],
  )

  return (
    <div className="frame">
      <a
        href="#main"
        className="skip"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        Skip to the content
      </a>
      <header className="topbar">
        <Brand aria-hidden="true" />
        <strong>{session.project}</strong>
        <span className="wide-only">{session.version}</span>
        {session.read_only ? <Badge tone="warn">Read only</Badge> : null}
        {recordsAlone ? <Badge>Records</Badge> : null}
        <span className="grow" />
        <Button icon={<Search aria-hidden="true" />} onClick={() => setPalette(true)} aria-keyshortcuts="Control+K">
          Search <kbd className="wide-only">Ctrl K</kbd>
        </Button>
        <IconButton label="Keyboard shortcuts" onClick={() => setHelp(true)}>
          <Keyboard aria-hidden="true" />
        </IconButton>
        <IconButton label={dark ? 'Use light theme' : 'Use dark theme'} onClick={() => setTheme(dark ? 'light' : 'dark')}>
          {dark ? <Sun aria-hidden="true" /> : <Moon aria-hidden="true" />}
        </IconButton>
        <IconButton label="Sign out" onClick={leave}>
          <LogOut aria-hidden="true" />
        </IconButton>
      </header>
      <nav className="rail" aria-label="Console">
        {groups.map((group) => (
          <div key={group}>
            {group ? <h2>{group}</h2> : null}
            {offered
              .filter((room) => room.group === group)
              .map((room) => (
                <NavLink key={room.path} to={room.path} end={room.path === '/'} title={room.name}>
                  <room.icon aria-hidden="true" />
                  <span>{room.name}</span>
                </NavLink>
              ))}
          </div>
        ))}
      </nav>
      <main className="main" ref={main} id="main" tabIndex={-1}>
        {session.read_only ? (
          <p className="read-only" role="note">
            <strong>Read only.</strong> {session.kind === 'read' ? `The account ${session.account} may see everything and change nothing.` : 'Nothing can be changed in this session: it was begun so, or the server is set to it (GATEWAY_CONSOLE_READ_ONLY).'} What would change something is switched off.
          </p>
        ) : null}
        {children}
      </main>
      {palette ? <Palette extra={extra} onClose={() => setPalette(false)} /> : null}
      {leaving ? (
        <Discard action="Discard and sign out" onKeep={() => setLeaving(false)} onDiscard={() => void signOut()}>
          Edits of rows or a statement are not saved yet: nobody finds them after the sign-out.
        </Discard>
      ) : null}
      {help ? <Shortcuts onClose={() => setHelp(false)} /> : null}
    </div>
  )
}

const shortcuts: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Command palette'],
  ['?', 'This list'],
  ...rooms.flatMap((room) => (room.key ? [[`g ${room.key}`, room.name] as const] : [])),
  ['Arrows, Home, End, PageUp, PageDown', 'Move in a grid'],
  ['Enter or F2', 'Edit the cell'],
  ['Shift Enter', 'Edit with room: NULL, empty, default'],
  ['Escape', 'Leave the editor without a change'],
  ['Delete', 'Set the cell to NULL'],
  ['Space', 'Choose the row'],
  ['Ctrl C', 'Copy the cell, or the chosen rows'],
  ['Ctrl S', 'Save queued edits'],
  ['Ctrl Enter', 'Run the SQL'],
]

function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="stack">
        {shortcuts.map(([keys, what]) => (
          <div key={keys} className="row">
            <dt className="grow">{what}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
