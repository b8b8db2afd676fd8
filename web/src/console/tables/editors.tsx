import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import type { Column } from '../lib/catalog'
import { pretty } from '../lib/format'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { Loaded } from '../parts/states'
import { DEFAULT, type Put, type Value, type Values } from './edits'
import { wholeValue } from './rows'
import { editorOf, fault, hints } from './types'

const NOTHING = '\u0000null'
const GIVEN = '\u0000default'

/** What has a default that is not NULL anyway. */
export function hasDefault(column: Column): boolean {
  return column.default !== null || Boolean(column.identity)
}

/** In the cell: one line, or a choice. Enter takes it, Escape leaves, Tab takes it as well; Shift and Enter give it room. */
export function CellEditor({ column, value, onTake, onLeave, onWhole }: { column: Column; value: Value; onTake: (value: Put) => void; onLeave: () => void; onWhole: () => void }) {
  const [text, setText] = useState(value ?? '')
  const kind = editorOf(column)
  const choices = kind === 'boolean' ? ['true', 'false'] : kind === 'enum' ? (column.enum ?? []) : null
  const keys = (event: KeyboardEvent, take: () => void) => {
    event.stopPropagation()
    if (event.key === 'Escape') onLeave()
    else if (event.key === 'Enter' && event.shiftKey) onWhole()
    else if (event.key === 'Enter' || event.key === 'Tab') take()
    else return
    event.preventDefault()
  }
  if (choices) {
    const meant = (choice: string): Put => (choice === NOTHING ? null : choice === GIVEN ? DEFAULT : choice)
    const chosen = value === null ? NOTHING : ({ t: 'true', f: 'false' }[kind === 'boolean' ? value : ''] ?? value)
    return (
      <select
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        className="input"
        aria-label={`Edit ${column.name}`}
        defaultValue={chosen}
        onKeyDown={(event) => keys(event, () => onTake(event.currentTarget instanceof HTMLSelectElement ? meant(event.currentTarget.value) : null))}
        onChange={(event) => onTake(meant(event.target.value))}
        onBlur={onLeave}
      >
        {column.nullable || value === null ? <option value={NOTHING}>NULL</option> : null}
        {hasDefault(column) ? <option value={GIVEN}>DEFAULT</option> : null}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    )
  }
  const wrong = text === '' && value === null ? undefined : kind === 'number' ? fault(kind, text) : undefined
  const take = () => {
    if (text === (value ?? '')) onLeave()
    else if (!wrong) onTake(text)
  }
  return (
    <input
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      className="input"
      aria-label={`Edit ${column.name}`}
      aria-invalid={wrong ? true : undefined}
      title={wrong ?? hints[kind]}
      value={text}
      placeholder={value === null ? 'NULL' : 'EMPTY'}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => keys(event, take)}
      onBlur={take}
      onFocus={(event) => event.target.select()}
    />
  )
}

type State = 'value' | 'null' | 'default'

/** A value in its three states. Nothing typed is an empty text, never null by chance. */
export function ValueField({ column, value, onChange, error }: { column: Column; value: Value | undefined; onChange: (value: Value | undefined) => void; error?: string }) {
  const id = useId()
  const kind = editorOf(column)
  const state: State = value === undefined ? 'default' : value === null ? 'null' : 'value'
  const canDefault = column.default !== null || Boolean(column.identity) || column.nullable
  const start = kind === 'boolean' ? 'false' : kind === 'enum' ? (column.enum?.[0] ?? '') : kind === 'json' ? '{}' : kind === 'array' ? '{}' : ''
  const wrong = error ?? (typeof value === 'string' && value !== '' ? fault(kind, value) : undefined)
  const shared = {
    id,
    className: 'input',
    'aria-invalid': wrong ? true : undefined,
    'aria-describedby': `${id}-hint`,
  } as const
  const text = value ?? ''
  const empty = state === 'default' ? `Default: ${column.default ?? (column.identity ? 'next number' : 'NULL')}` : state === 'null' ? 'NULL' : 'Empty text'
  return (
    <div className="field">
      <label htmlFor={id}>{column.name}</label>
      <div className="row">
        <div className="grow">
          {kind === 'boolean' || kind === 'enum' ? (
            <select {...shared} value={state === 'value' ? text : ''} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}>
              {state === 'value' ? null : <option value="">{empty}</option>}
              {(kind === 'boolean' ? ['true', 'false'] : (column.enum ?? [])).map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          ) : kind === 'json' || kind === 'long' ? (
            <textarea {...shared} rows={kind === 'json' || text.length > 80 || text.includes('\n') ? 5 : 1} spellCheck={false} placeholder={empty} value={text} onChange={(event) => onChange(event.target.value)} />
          ) : (
            <input {...shared} autoComplete="off" spellCheck={false} inputMode={kind === 'number' ? 'decimal' : undefined} placeholder={empty} value={text} onChange={(event) => onChange(event.target.value)} />
          )}
        </div>
        <select
          className="input"
          style={{ width: '6.5rem' }}
          aria-label={`State of ${column.name}`}
          value={state}
          onChange={(event) => onChange({ value: start, null: null, default: undefined }[event.target.value])}
        >
          <option value="value">Value</option>
          {column.nullable ? <option value="null">NULL</option> : null}
          {canDefault || state === 'default' ? <option value="default">Default</option> : null}
        </select>
      </div>
      <p id={`${id}-hint`} className={wrong ? 'wrong' : 'hint'} role={wrong ? 'alert' : undefined}>
        {wrong ?? [column.type, column.nullable ? '' : 'required', hints[kind] ?? '', column.comment ?? ''].filter(Boolean).join(' · ')}
      </p>
    </div>
  )
}

/** A value that needs room: json, arrays, long texts. The whole of it is asked for only now. */
export function CellDialog({ schema, table, rowKey, column, value, cut, readOnly, onTake, onClose }: { schema: string; table: string; rowKey: Values | null; column: Column; value: Value; cut: boolean; readOnly: boolean; onTake: (value: Put, old: Value | undefined) => void; onClose: () => void }) {
  const whole = useQuery({
    queryKey: ['cell', schema, table, rowKey, column.name],
    queryFn: ({ signal }) => (cut && rowKey ? wholeValue(schema, table, rowKey, column.name, signal) : Promise.resolve({ value })),
    gcTime: 0,
    staleTime: 0,
  })
  return (
    <Loaded result={whole} what="Reading the whole value">
      {(data) => <OpenCell column={column} value={data.value} old={cut ? data.value : undefined} readOnly={readOnly} onTake={onTake} onClose={onClose} />}
    </Loaded>
  )
}

function OpenCell({ column, value, old, readOnly, onTake, onClose }: { column: Column; value: Value; old: Value | undefined; readOnly: boolean; onTake: (value: Put, old: Value | undefined) => void; onClose: () => void }) {
  const kind = editorOf(column)
  const shown = value !== null && kind === 'json' && value.length < 200_000 ? pretty(value) : value
  const [text, setText] = useState<Value>(shown)
  const wrong = text === null ? undefined : fault(kind, text)
  return (
    <Dialog
      title={`${readOnly ? 'Value' : 'Edit'} of ${column.name}`}
      wide
      guarded={!readOnly}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{readOnly ? 'Close' : 'Cancel'}</Button>
          {readOnly ? null : (
            <Button
              look="primary"
              disabled={Boolean(wrong)}
              onClick={() => {
                if (text === shown) onClose()
                else onTake(text, old)
              }}
            >
              Apply
            </Button>
          )}
        </>
      }
    >
      <div className="row">
        <span className="muted">{column.type}</span>
        <span className="grow" />
        {readOnly ? null : (
          <>
            <Button disabled={!column.nullable || text === null} onClick={() => setText(null)}>
              Set NULL
            </Button>
            <Button disabled={text === '' || (kind !== 'long' && kind !== 'line')} onClick={() => setText('')}>
              Set empty
            </Button>
            {hasDefault(column) ? <Button onClick={() => onTake(DEFAULT, old)}>Set default ({column.default ?? 'next number'})</Button> : null}
            {kind === 'json' && text !== null ? <Button onClick={() => setText(pretty(text))}>Format</Button> : null}
          </>
        )}
      </div>
      <textarea
        data-first
        className="input mono"
        rows={18}
        spellCheck={false}
        readOnly={readOnly}
        aria-label={column.name}
        aria-invalid={wrong ? true : undefined}
        value={text ?? ''}
        placeholder={text === null ? 'NULL' : 'EMPTY'}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.ctrlKey && !readOnly && !wrong) onTake(text, old)
        }}
      />
      {wrong ? (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      ) : null}
    </Dialog>
  )
}
