import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { toast } from '@/ui/toast-store'
import { API, query } from '../lib/api'
import { count } from '../lib/format'
import { useSession } from '../lib/session'
import { type Upload, upload } from '../lib/upload'
import { Button, CopyButton } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { SelectField, TextField } from '../parts/field'
import { Code, Tabs } from '../parts/page'
import { Failure } from '../parts/states'
import type { View } from './rows'

/** All rows of what is shown as a file, streamed by the server. */
export function exportPath(view: View, format: 'csv' | 'json'): string {
  return `${API}rows/export${query({ schema: view.schema, table: view.table, format, as: view.as, filters: view.filters.length > 0 ? JSON.stringify(view.filters) : undefined, order: view.order.length > 0 ? JSON.stringify(view.order) : undefined })}`
}

export function ExportDialog({ view, onClose }: { view: View; onClose: () => void }) {
  return (
    <Dialog title={`Export ${view.table}`} onClose={onClose}>
      <p>{view.filters.length > 0 ? 'The rows that pass the filters' : 'All rows'}, in the order that is shown, with their whole values.</p>
      <div className="row">
        {(['csv', 'json'] as const).map((format) => (
          <a key={format} className="button primary" href={exportPath(view, format)} download={`${view.table}.${format}`} onClick={() => setTimeout(onClose, 100)}>
            Export {format.toUpperCase()}
          </a>
        ))}
      </div>
    </Dialog>
  )
}

export function ImportDialog({ schema, table, onClose }: { schema: string; table: string; onClose: () => void }) {
  const session = useSession()
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [format, setFormat] = useState<'csv' | 'json'>('csv')
  const [part, setPart] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const running = useRef<Upload | null>(null)
  const start = () => {
    if (!file) return
    setError(null)
    setPart(0)
    running.current = upload(`rows/import${query({ schema, table, format })}`, {
      body: file,
      token: session.token,
      headers: { 'content-type': format === 'csv' ? 'text/csv' : 'application/json' },
      onProgress: setPart,
    })
    running.current.done.then(
      async (answer) => {
        const inserted = (answer as { inserted?: number } | undefined)?.inserted
        toast({ title: inserted === undefined ? 'Imported' : `${count(inserted)} rows imported` })
        await queries.invalidateQueries({ queryKey: ['rows'] })
        onClose()
      },
      (failed: unknown) => {
        setError(failed)
        setPart(null)
      },
    )
  }
  return (
    <Dialog
      title={`Import into ${table}`}
      onClose={onClose}
      locked={part !== null}
      onSubmit={start}
      actions={
        <>
          {part === null ? <Button onClick={onClose}>Cancel</Button> : <Button onClick={() => running.current?.stop()}>Stop</Button>}
          <Button type="submit" look="primary" disabled={!file} busy={part !== null}>
            Import rows
          </Button>
        </>
      }
    >
      <p>The first line of a CSV file names the columns; a JSON file is an array of objects. All rows come in, or none.</p>
      <TextField
        label="File"
        type="file"
        accept=".csv,.json,text/csv,application/json"
        onChange={(event) => {
          const chosen = event.target.files?.[0] ?? null
          setFile(chosen)
          if (chosen) setFormat(chosen.name.endsWith('.json') ? 'json' : 'csv')
        }}
      />
      <SelectField label="Format" value={format} onChange={(event) => setFormat(event.target.value === 'json' ? 'json' : 'csv')} options={[{ value: 'csv', label: 'CSV' }, { value: 'json', label: 'JSON' }]} />
      {part === null ? null : (
        <div role="status">
          <progress max={1} value={part < 1 ? part : undefined} aria-label="Import" />
          <p>{part < 1 ? `${Math.round(part * 100)} % sent` : 'The database writes the rows…'}</p>
        </div>
      )}
      {error ? <Failure error={error} /> : null}
    </Dialog>
  )
}

/** The request behind the rows, to take along. */
export function RequestDialog({ request, onClose }: { request: { curl: string; js: string; python: string }; onClose: () => void }) {
  const [language, setLanguage] = useState<'curl' | 'js' | 'python'>('curl')
  return (
    <Dialog title="The request behind these rows" wide onClose={onClose}>
      <Tabs
        label="Language"
        tabs={[
          { id: 'curl', label: 'curl' },
          { id: 'js', label: 'JavaScript' },
          { id: 'python', label: 'Python' },
        ]}
        current={language}
        onChange={(id) => setLanguage(id as typeof language)}
      >
        <Code label="Request">{request[language]}</Code>
        <div>
          <CopyButton text={request[language]} label="Copy request" />
        </div>
      </Tabs>
    </Dialog>
  )
}
