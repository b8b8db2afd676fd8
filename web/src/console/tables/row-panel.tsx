import { useState } from 'react'
import { Link } from 'react-router-dom'
import type { Column, Table } from '../lib/catalog'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { Failure } from '../parts/states'
import { tablePath } from './address'
import type { Value, Values } from './edits'
import { ValueField } from './editors'
import { editorOf, fault, writable } from './types'

type Draft = Record<string, Value | undefined>

/** What a new row begins with: what another one has but for its key, else a default. */
function beginning(table: Table, column: Column, like: Values | undefined): Value | undefined {
  if (like && column.name in like && !table.primary_key.includes(column.name)) return like[column.name]
  if (column.default !== null || column.identity || column.nullable) return undefined
  return editorOf(column) === 'boolean' ? 'false' : ''
}

/** One row as a form: a new one, or one that is there. */
export function RowPanel({ table, row, like, onSave, onClose }: { table: Table; row: Values | null; like?: Values; onSave: (set: Values, old: Values) => Promise<unknown>; onClose: () => void }) {
  const columns = table.columns.filter(writable)
  const [draft, setDraft] = useState<Draft>(() => (row ? { ...row } : Object.fromEntries(columns.map((column) => [column.name, beginning(table, column, like)]))))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const faults = columns.filter((column) => {
    const value = draft[column.name]
    return typeof value === 'string' && fault(editorOf(column), value) !== undefined && !(value === '' && editorOf(column) === 'long')
  })
  const save = () => {
    const set: Values = {}
    const old: Values = {}
    for (const column of columns) {
      const value = draft[column.name]
      if (value === undefined || (row && value === row[column.name])) continue
      set[column.name] = value
      if (row) old[column.name] = row[column.name] ?? null
    }
    if (row && Object.keys(set).length === 0) {
      onClose()
      return
    }
    setBusy(true)
    setError(null)
    onSave(set, old).then(onClose, (failed: unknown) => {
      setError(failed)
      setBusy(false)
    })
  }
  return (
    <Dialog
      side
      title={row ? `Edit row of ${table.name}` : `Insert row into ${table.name}`}
      onClose={onClose}
      locked={busy}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={busy}>
            Save
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      {faults.length > 0 && error ? <p className="wrong">Look at {faults.map((column) => column.name).join(', ')}.</p> : null}
      {columns.map((column) => (
        <ValueField key={column.name} column={column} value={draft[column.name]} onChange={(value) => setDraft({ ...draft, [column.name]: value })} />
      ))}
      {row ? <Relations table={table} row={row} /> : null}
    </Dialog>
  )
}

function Relations({ table, row }: { table: Table; row: Values }) {
  const out = table.foreign_keys.filter((key) => key.columns.every((column) => row[column] !== null && row[column] !== undefined))
  if (out.length + table.referenced_by.length === 0) return null
  return (
    <nav aria-label="Related rows" className="stack">
      {out.map((key) => (
        <Link key={key.name} to={tablePath(key.schema, key.table, key.columns.map((column, index) => ({ column: key.targets[index] ?? '', op: 'eq', value: row[column] ?? '' })))}>
          {key.table} of this row
        </Link>
      ))}
      {table.referenced_by.map((key) => (
        <Link key={key.name} to={tablePath(key.schema, key.table, key.columns.map((column, index) => ({ column, op: 'eq', value: row[key.targets[index] ?? ''] ?? '' })))}>
          Rows of {key.table} that point here
        </Link>
      ))}
    </nav>
  )
}
