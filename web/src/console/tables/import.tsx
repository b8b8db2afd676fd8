import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { toast } from '@/ui/toast-store'
import { ApiError, isRecord, query } from '../lib/api'
import type { Table } from '../lib/catalog'
import { count, shortType } from '../lib/format'
import { useSession } from '../lib/session'
import { type Upload, upload } from '../lib/upload'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { SelectField, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Failure } from '../parts/states'
import { type Preview, READ, guess, preview } from './preview'
import { writable } from './types'

interface RowFault {
  row: number
  message: string
  details: string | null
  column: string | null
}

interface Came {
  inserted: number
  rows: number
  dry: boolean
}

function faultsOf(error: unknown): RowFault[] {
  return error instanceof ApiError && isRecord(error.body) && Array.isArray(error.body.errors) ? (error.body.errors as RowFault[]) : []
}

/** A file into a table: its first rows, which column goes where, a check that writes nothing, then all rows or none. */
export function ImportDialog({ table, onClose }: { table: Table; onClose: () => void }) {
  const session = useSession()
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [format, setFormat] = useState<'csv' | 'json'>('csv')
  const [found, setFound] = useState<Preview | null>(null)
  const [targets, setTargets] = useState<Record<string, string>>({})
  const [part, setPart] = useState<number | null>(null)
  const [checked, setChecked] = useState('')
  const [error, setError] = useState<unknown>(null)
  const running = useRef<Upload | null>(null)
  const columns = table.columns.filter(writable)
  const used = Object.values(targets)
  const missing = columns.filter((column) => !column.nullable && column.default === null && !column.identity && !used.includes(column.name)).map((column) => column.name)

  const look = async (chosen: File | null, form: 'csv' | 'json') => {
    setFile(chosen)
    setFormat(form)
    setError(null)
    setChecked('')
    setFound(null)
    if (!chosen) return
    try {
      const head = preview(await chosen.slice(0, READ).text(), form, chosen.size <= READ)
      setFound(head)
      setTargets(guess(head.columns, columns.map((column) => column.name)))
      if (head.columns.length === 0) setError(new Error(form === 'csv' ? 'The first line names no columns.' : 'The file is no array of JSON objects.'))
    } catch (failed) {
      setError(failed)
    }
  }
  const start = (dry: boolean) => {
    if (!file || used.length === 0 || part !== null) return
    setError(null)
    setChecked('')
    setPart(0)
    const map = JSON.stringify(Object.fromEntries((found?.columns ?? []).map((name) => [name, targets[name] ?? null])))
    running.current = upload(`rows/import${query({ schema: table.schema, table: table.name, format, map, dry: dry ? 'true' : undefined })}`, {
      body: file,
      token: session.token,
      headers: { 'content-type': format === 'csv' ? 'text/csv' : 'application/json' },
      onProgress: setPart,
    })
    running.current.done
      .then(async (answer) => {
        const came = answer as Came
        if (dry) {
          setChecked(`All ${count(came.rows)} rows fit. Nothing was written.`)
          return
        }
        toast({ title: `${count(came.inserted)} rows imported` })
        await queries.invalidateQueries({ queryKey: ['rows'] })
        onClose()
      }, setError)
      .finally(() => setPart(null))
  }
  const faults = faultsOf(error)
  return (
    <Dialog
      title={`Import into ${table.name}`}
      wide
      onClose={onClose}
      locked={part !== null}
      onSubmit={() => start(false)}
      actions={
        <>
          {part === null ? <Button onClick={onClose}>Cancel</Button> : <Button onClick={() => running.current?.stop()}>Stop</Button>}
          <Button disabled={!file || used.length === 0 || part !== null} onClick={() => start(true)}>
            Check rows
          </Button>
          <Button type="submit" look="primary" disabled={!file || used.length === 0} busy={part !== null}>
            Import rows
          </Button>
        </>
      }
    >
      <p>The first line of a CSV file names its columns; a JSON file is an array of objects, or one a line. All rows come in, or none.</p>
      <div className="columns">
        <TextField
          label="File"
          type="file"
          accept=".csv,.json,.jsonl,.ndjson,text/csv,application/json"
          disabled={part !== null}
          onChange={(event) => {
            const chosen = event.target.files?.[0] ?? null
            void look(chosen, chosen && /\.(json|jsonl|ndjson)$/i.test(chosen.name) ? 'json' : 'csv')
          }}
        />
        <SelectField
          label="Format"
          value={format}
          disabled={part !== null}
          onChange={(event) => void look(file, event.target.value === 'json' ? 'json' : 'csv')}
          options={[
            { value: 'csv', label: 'CSV' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {found && found.columns.length > 0 ? (
        <List
          label="Columns of the file"
          rows={found.columns.map((name, index) => ({ name, index }))}
          id={({ name, index }) => `${index} ${name}`}
          empty=""
          columns={[
            { name: 'In the file', cell: ({ name }) => name },
            { name: 'First values', cell: ({ index }) => <span className="muted">{found.rows.map((row) => row[index]).map((value) => (value === null || value === undefined ? 'NULL' : value === '' ? 'EMPTY' : value.slice(0, 40))).join(' · ')}</span> },
            {
              name: 'Goes to',
              cell: ({ name }) => (
                <SelectField
                  label={`Column for ${name}`}
                  bare
                  value={targets[name] ?? ''}
                  disabled={part !== null}
                  onChange={(event) => setTargets(Object.fromEntries([...Object.entries(targets).filter(([one, target]) => one !== name && target !== event.target.value), ...(event.target.value === '' ? [] : [[name, event.target.value] as const])]))}
                  options={[{ value: '', label: 'Leave out' }, ...columns.map((column) => ({ value: column.name, label: `${column.name} (${shortType(column.type)})` }))]}
                />
              ),
            },
          ]}
        />
      ) : null}
      {found && missing.length > 0 ? <p className="note">Nothing goes to {missing.join(', ')}, which must have a value.</p> : null}
      {part === null ? null : (
        <div role="status">
          <progress max={1} value={part < 1 ? part : undefined} aria-label="Import" />
          <p>{part < 1 ? `${Math.round(part * 100)} % sent` : 'The database takes the rows…'}</p>
        </div>
      )}
      {checked ? (
        <p className="note good" role="status">
          {checked}
        </p>
      ) : null}
      {error ? <Failure error={error} /> : null}
      {faults.length > 0 ? (
        <List
          label="Rows that are refused"
          rows={faults}
          id={(fault) => String(fault.row)}
          empty=""
          columns={[
            { name: 'Row', end: true, cell: (fault) => count(fault.row) },
            { name: 'Column', cell: (fault) => fault.column ?? '' },
            { name: 'Why', cell: (fault) => `${fault.message}${fault.details ? ` (${fault.details})` : ''}` },
          ]}
        />
      ) : null}
    </Dialog>
  )
}
