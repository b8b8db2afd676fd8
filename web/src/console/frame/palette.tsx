import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useCatalog } from '../lib/catalog'
import { useRecordsAlone } from '../lib/session'
import { roomsFor } from './rooms'

export interface Command {
  name: string
  kind: string
  words?: string
  run: () => void
}

/** Commands whose words hold every word that was typed; what begins with it comes first. */
export function matching(commands: readonly Command[], text: string, most = 30): Command[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (command: Command) => (command.name.toLowerCase().startsWith(wanted[0] ?? '') ? 0 : 1)
  return commands
    .filter((command) => {
      const hay = `${command.name} ${command.kind} ${command.words ?? ''}`.toLowerCase()
      return wanted.every((word) => hay.includes(word))
    })
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, most)
}

export function Palette({ extra, onClose }: { extra: readonly Command[]; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const navigate = useNavigate()
  const catalog = useCatalog()
  const recordsAlone = useRecordsAlone()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  useLayoutEffect(() => {
    if (!ref.current?.open) ref.current?.showModal()
  }, [])
  const commands = useMemo<Command[]>(
    () => [
      ...roomsFor(recordsAlone).map((room) => ({ name: room.name, kind: 'Go to', words: room.words, run: () => void navigate(room.path) })),
      ...extra,
      ...(catalog.data?.tables ?? []).map((table) => ({
        name: `${table.schema}.${table.name}`,
        kind: table.kind,
        words: 'table',
        run: () => void navigate(`/tables/${encodeURIComponent(table.schema)}/${encodeURIComponent(table.name)}`),
      })),
    ],
    [navigate, extra, catalog.data, recordsAlone],
  )
  const found = matching(commands, text)
  const run = (command: Command | undefined) => {
    onClose()
    command?.run()
  }
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Enter') run(found[at])
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={ref} className="dialog palette" aria-label="Command palette" onClose={onClose} onCancel={onClose}>
      <input
        className="input"
        role="combobox"
        aria-label="Search commands and tables"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        placeholder="Go to a page or a table, or do something"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={keys}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Commands" tabIndex={-1}>
        {found.map((command, index) => (
          // The keys are the field's; here is the mouse alone.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div key={`${command.kind} ${command.name}`} id={`${id}-${index}`} role="option" tabIndex={-1} aria-selected={index === at} onClick={() => run(command)} onMouseMove={() => setAt(index)}>
            <span>{command.name}</span>
            <span className="muted">{command.kind}</span>
          </div>
        ))}
        {found.length === 0 ? <p className="state">Nothing is called so.</p> : null}
      </div>
    </dialog>
  )
}
