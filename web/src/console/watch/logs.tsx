import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router-dom'
import { api, query } from '../lib/api'
import { moment } from '../lib/format'
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
}

const sources = ['', 'request', 'call', 'line', 'mail', 'job', 'audit']

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
  }
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') void navigate(`/trace/${encodeURIComponent(id.trim())}`)
  }
  return (
    <Page title="Logs">
      <div className="row bottom">
        <form className="row bottom grow" role="search" onSubmit={search}>
          <TextField label="Search logs" value={text} onChange={(event) => setText(event.target.value)} />
          <Button type="submit">Search</Button>
        </form>
        <SelectField label="Source" value={source} onChange={(event) => put({ source: event.target.value })} options={sources.map((one) => ({ value: one, label: one || 'all' }))} />
        <CheckField label="Errors only" checked={errors === 'true'} onChange={(event) => put({ errors: event.target.checked ? 'true' : '' })} />
        <CheckField label="Follow" checked={follow} onChange={(event) => setFollow(event.target.checked)} />
        <form className="row bottom" onSubmit={open}>
          <TextField label="Request id" value={id} onChange={(event) => setId(event.target.value)} />
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
        { name: 'Source', cell: (row) => <Badge tone={row.failed ? 'bad' : 'calm'}>{row.source}</Badge> },
        { name: 'Text', cell: (row) => <code className="break">{row.text}</code> },
        { name: 'Request', cell: (row) => (row.request_id ? <Link to={`/trace/${encodeURIComponent(row.request_id)}`}>{row.request_id.slice(0, 12)}</Link> : '') },
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
          const start = new Date(rows[0]?.at ?? 0).getTime()
          return rows.length === 0 ? (
            <Empty title="No log holds this id." />
          ) : (
            <ol className="trace" aria-label="What the request touched">
              {rows.map((row, index) => (
                // oxlint-disable-next-line react/no-array-index-key
                <li key={index}>
                  <span className="muted">
                    {moment(row.at)} +{Math.max(0, new Date(row.at).getTime() - start)} ms
                  </span>
                  <span>
                    <Badge tone={row.failed ? 'bad' : 'good'}>{row.source}</Badge>
                  </span>
                  <code className="break">{row.text}</code>
                </li>
              ))}
            </ol>
          )
        }}
      </Loaded>
    </Page>
  )
}
