import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router-dom'
import { api, query } from '../lib/api'
import { milliseconds, moment } from '../lib/format'
import { Button } from '../parts/button'
import { CheckField, SelectField, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page } from '../parts/page'
import { Empty, Loaded } from '../parts/states'

interface Line {
  at: string
  source: string
  request_id: string | null
  text: string
  failed?: boolean
  /** Milliseconds that it took, where that is known. */
  ms?: number | null
}

const sources = [
  { value: '', label: 'All' },
  { value: 'request', label: 'API requests' },
  { value: 'call', label: 'Function invocations' },
  { value: 'line', label: 'Function logs' },
]

const names: Record<string, string> = { request: 'gateway', sql: 'SQL', call: 'function', line: 'function log', job: 'job', mail: 'mail', audit: 'audit' }

export function Logs() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const [follow, setFollow] = useState(false)
  const source = params.get('source') ?? ''
  const errors = params.get('errors') ?? ''
  const navigate = useNavigate()
  const [id, setId] = useState('')
  const put = (change: Record<string, string>) => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(change)) {
      if (value === '') next.delete(name)
      else next.set(name, value)
    }
    setParams(next)
  }
  const logs = useQuery({
    queryKey: ['logs', params.toString()],
    queryFn: ({ signal }) => api<Line[]>(`logs${query({ source, q: params.get('q'), errors, limit: 300 })}`, { signal }),
    refetchInterval: follow ? 5000 : false,
    placeholderData: (before) => before,
  })
  const search = (event: FormEvent) => {
    event.preventDefault()
    put({ q: text })
    void logs.refetch()
  }
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') void navigate(`/trace/${encodeURIComponent(id.trim())}`)
  }
  return (
    <Page title="Logs" lead="API requests, functions and what they write; open a request's id to see all that it touched">
      <div className="row bottom">
        <form className="row bottom grow" role="search" onSubmit={search}>
          <TextField label="Search logs" value={text} onChange={(event) => setText(event.target.value)} />
          <Button type="submit">Search</Button>
        </form>
        <SelectField label="Source" value={source} onChange={(event) => put({ source: event.target.value })} options={sources} />
        <CheckField label="Errors only" checked={errors === 'true'} onChange={(event) => put({ errors: event.target.checked ? 'true' : '' })} />
        <CheckField label="Follow" checked={follow} onChange={(event) => setFollow(event.target.checked)} />
        <form className="row bottom" onSubmit={open}>
          <TextField label="Request ID" value={id} onChange={(event) => setId(event.target.value)} />
          <Button type="submit">Open trace</Button>
        </form>
      </div>
      <Loaded result={logs} what="Reading the logs">
        {(rows) => <Lines rows={rows.toReversed()} />}
      </Loaded>
    </Page>
  )
}

function Lines({ rows }: { rows: readonly Line[] }) {
  return (
    <List
      label="Log lines"
      rows={rows.map((row, index) => ({ ...row, key: `${row.at}.${index}` }))}
      id={(row) => row.key}
      empty="No lines are found."
      columns={[
        { name: 'When', cell: (row) => moment(row.at) },
        { name: 'Source', cell: (row) => <Badge tone={row.failed ? 'bad' : 'calm'}>{names[row.source] ?? row.source}</Badge> },
        { name: 'Text', cell: (row) => <code className="break">{row.text}</code> },
        { name: 'Request', cell: (row) => (row.request_id ? <Link to={`/trace/${encodeURIComponent(row.request_id)}`}>{row.request_id.length > 24 ? `${row.request_id.slice(0, 24)}…` : row.request_id}</Link> : '') },
      ]}
    />
  )
}

/** One request as a line through all it touched. */
export function Trace() {
  const { id = '' } = useParams()
  const trace = useQuery({ queryKey: ['trace', id], queryFn: ({ signal }) => api<Line[]>(`trace/${encodeURIComponent(id)}`, { signal }) })
  return (
    <Page title="Trace" lead={<span className="row"><code>{id}</code> <Link to="/logs">Logs</Link></span>}>
      <Loaded result={trace} what="Reading the logs">
        {(rows) => {
          const times = rows.map((row) => new Date(row.at).getTime())
          const start = Math.min(...times)
          const whole = Math.max(1, ...rows.map((row, index) => (times[index] ?? start) - start + (row.ms ?? 0)))
          return rows.length === 0 ? (
            <Empty title="No log holds this id." />
          ) : (
            <ol className="trace" aria-label="What the request touched">
              {rows.map((row, index) => {
                const after = (times[index] ?? start) - start
                return (
                  // oxlint-disable-next-line react/no-array-index-key
                  <li key={index}>
                    <span className="muted">
                      {index === 0 ? moment(row.at) : `+${after} ms`}
                    </span>
                    <span>
                      <Badge tone={row.failed ? 'bad' : 'good'}>{names[row.source] ?? row.source}</Badge>
                    </span>
                    <span className="trace-time">
                      <span className={`trace-bar ${row.failed ? 'bad' : ''}`} style={{ left: `${Math.min(99, (after / whole) * 100)}%`, width: `${Math.max(1, ((row.ms ?? 0) / whole) * 100)}%` }} />
                      {row.ms === null || row.ms === undefined ? null : <span className="muted">{milliseconds(row.ms)}</span>}
                    </span>
                    <code className="break">{row.text}</code>
                  </li>
                )
              })}
            </ol>
          )
        }}
      </Loaded>
    </Page>
  )
}
