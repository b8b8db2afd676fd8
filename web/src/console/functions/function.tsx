import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router-dom'
import { ApiError, api, contractResponse } from '../lib/api'
import { count, milliseconds, moment, plain, pretty } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { TimeChart } from '../parts/chart'
import { Confirm, Dialog } from '../parts/dialog'
import { CheckField, SelectField, TextArea, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Code, Facts, Page, Section, Tabs } from '../parts/page'
import { Failure, Loaded, Loading } from '../parts/states'
import { AsWhom } from '../tables/as-whom'
import { type Served, StateBadge } from './functions'

interface Brief {
  id: string
  at: string
  method: string
  path: string
  query?: string
  status: number
  ms: number
  fault?: string
  request: string
  version?: string
}

interface Whole extends Served {
  versions: { version: string; at: string; current: boolean }[]
  recent: Brief[]
  minutes: { at: string; calls: number; errors: number; p50: number | null; p99: number | null }[]
}

interface Line {
  kind: string
  at: string
  level?: string
  text?: string
  status?: number
  ms?: number
  method?: string
  path?: string
  request?: string | null
  id?: string
}

export function FunctionPage() {
  const { name = '' } = useParams()
  const session = useSession()
  const [tab, setTab] = useState('overview')
  const [shown, setShown] = useState('')
  const [version, setVersion] = useState('')
  const address = `functions/${encodeURIComponent(name)}`
  const { act } = useAct('function', 'functions')
  const found = useQuery({ queryKey: ['function', name], queryFn: ({ signal }) => api<Whole>(address, { signal }), refetchInterval: 10_000 })
  if (!found.data) {
    return (
      <Page title={name} lead={<Link to="/functions">All functions</Link>}>
        <Loaded result={found}>{() => null}</Loaded>
      </Page>
    )
  }
  return (
    <Loaded result={found}>
      {(data) => (
        <Page title={name} lead={<span className="row"><StateBadge state={data.state} /> {data.kind} <Link to="/functions">All functions</Link></span>}>
          {data.fault ? <Failure error={new Error(data.fault)} /> : null}
          <Tabs
            label="Function"
            tabs={[
              { id: 'overview', label: 'Overview' },
              { id: 'invoke', label: 'Invoke' },
              { id: 'calls', label: 'Invocations' },
              { id: 'logs', label: 'Logs' },
              { id: 'versions', label: 'Deployments' },
            ]}
            current={tab}
            onChange={setTab}
          >
            {tab === 'overview' ? (
              <>
                <Facts
                  facts={[
                    ['Address', <code key="a" className="break">{`${session.api_url}/functions/v1/${name}`}</code>],
                    ['Version', <code key="v">{data.version ?? '–'}</code>],
                    ['Verifies the token', data.verify_jwt ? 'yes' : 'no'],
                    ['Schedule', data.schedule],
                    ['Secrets', data.secrets.join(', ') || 'none'],
                    ['Invocations of the last day', count(data.calls)],
                    ['Errors', count(data.errors)],
                    ['p50', milliseconds(data.p50)],
                    ['p99', milliseconds(data.p99)],
                  ]}
                />
                <div className="charts">
                  <div className="section">
                    <TimeChart title="Calls a minute" zeros unit={(value) => String(Math.round(value * 10) / 10)} series={[{ name: 'Calls', points: data.minutes.map((row) => [row.at, row.calls]) }, { name: 'Errors', points: data.minutes.map((row) => [row.at, row.errors]) }]} />
                  </div>
                  <div className="section">
                    <TimeChart title="Durations" unit={milliseconds} series={[{ name: 'p50', points: data.minutes.map((row) => [row.at, row.p50]) }, { name: 'p99', points: data.minutes.map((row) => [row.at, row.p99]) }]} />
                  </div>
                </div>
              </>
            ) : null}
            {tab === 'invoke' ? <Invoke name={name} /> : null}
            {tab === 'calls' ? (
              <List
                label="Invocations"
                rows={data.recent}
                id={(call) => call.id}
                empty="Nobody has called it in the last day."
                columns={[
                  { name: 'When', cell: (call) => moment(call.at) },
                  { name: 'Request', cell: (call) => `${call.method} ${call.path}` },
                  { name: 'Status', cell: (call) => <Badge tone={call.status >= 500 ? 'bad' : call.status >= 400 ? 'warn' : 'good'}>{call.status}</Badge> },
                  { name: 'Took', end: true, cell: (call) => milliseconds(call.ms) },
                  { name: 'Fault', wide: true, cell: (call) => call.fault ?? '' },
                ]}
                actions={(call) => (
                  <Button aria-label={`Open invocation of ${moment(call.at)}`} onClick={() => setShown(call.id)}>
                    Open
                  </Button>
                )}
              />
            ) : null}
            {tab === 'logs' ? <FunctionLogs address={address} /> : null}
            {tab === 'versions' ? (
              <List
                label="Deployments"
                rows={data.versions}
                id={(row) => row.version + row.at}
                empty="It was never deployed: the folder is served as it lies."
                columns={[
                  { name: 'Version', cell: (row) => <code>{row.version}</code> },
                  { name: 'When', cell: (row) => moment(row.at) },
                  { name: 'State', cell: (row) => (row.current ? <Badge tone="good">current</Badge> : '') },
                ]}
                actions={(row) => (
                  <Button disabled={row.current || session.read_only} aria-label={`Roll back to ${row.version}`} onClick={() => setVersion(row.version)}>
                    Roll back
                  </Button>
                )}
              />
            ) : null}
          </Tabs>
          {shown ? <CallDialog address={address} id={shown} onClose={() => setShown('')} /> : null}
          {version ? (
            <Confirm
              title="Roll back"
              action="Roll back"
              calm
              onClose={() => setVersion('')}
              onConfirm={async () => {
                await api(`${address}/rollback`, { method: 'POST', body: { version } })
                void act('Roll back', async () => undefined, 'Rolled back')
              }}
            >
              <p>
                Serve version {version} of {name} from now on?
              </p>
            </Confirm>
          ) : null}
        </Page>
      )}
    </Loaded>
  )
}

interface Reply {
  status: number
  ms: number
  headers: [string, string][]
  body: string
}

function Invoke({ name }: { name: string }) {
  const queries = useQueryClient()
  const [method, setMethod] = useState('POST')
  const [path, setPath] = useState('')
  const [as, setAs] = useState('service')
  const [body, setBody] = useState<string | null>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const [reply, setReply] = useState<Reply | null>(null)
  const [error, setError] = useState<unknown>(null)
  const sample = useQuery({ queryKey: ['sample', name], queryFn: ({ signal }) => api<{ sample: string | null }>(`functions/${encodeURIComponent(name)}/sample`, { signal }) })
  const text = body ?? sample.data?.sample ?? '{}'
  const send = async () => {
    const stop = new AbortController()
    setRunning(stop)
    setError(null)
    setReply(null)
    const began = performance.now()
    try {
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const response = await contractResponse(`functions/v1/${encodeURIComponent(name)}${path}`, { as, method, signal: stop.signal, ...(hasBody ? { body: new Blob([text]), headers: { 'content-type': 'application/json' } } : {}) })
      setReply({ status: response.status, ms: performance.now() - began, headers: [...response.headers], body: await response.text() })
    } catch (failed) {
      setError(stop.signal.aborted ? new Error('Stopped.') : failed)
      if (failed instanceof ApiError) setReply({ status: failed.status, ms: performance.now() - began, headers: [], body: pretty(failed.body) })
    } finally {
      setRunning(null)
      void queries.invalidateQueries({ queryKey: ['function', name] })
    }
  }
  return (
    <Section title="Invoke">
      <div className="columns">
        <SelectField label="Method" value={method} onChange={(event) => setMethod(event.target.value)} options={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']} />
        <TextField label="Path and query" value={path} placeholder="/more?x=1" onChange={(event) => setPath(event.target.value)} />
        <AsWhom as={as} onChange={setAs} />
      </div>
      <TextArea label="Request body" rows={8} value={text} onChange={(event) => setBody(event.target.value)} hint={sample.data?.sample ? 'The sample of the function' : undefined} />
      <div className="row">
        {running ? (
          <Button onClick={() => running.abort()}>Stop</Button>
        ) : (
          <Button look="primary" onClick={() => void send()}>
            Invoke function
          </Button>
        )}
      </div>
      {running ? <Loading what="Waiting for the answer" /> : null}
      {error && !reply ? <Failure error={error} /> : null}
      {reply ? (
        <div role="status" className="stack">
          <p>
            <Badge tone={reply.status >= 500 ? 'bad' : reply.status >= 400 ? 'warn' : 'good'}>{reply.status}</Badge> in {milliseconds(reply.ms)}
          </p>
          <Code label="Response">{pretty(reply.body)}</Code>
          <details>
            <summary>Headers</summary>
            <Code label="Headers of the response">{written(reply.headers)}</Code>
          </details>
        </div>
      ) : null}
    </Section>
  )
}

function FunctionLogs({ address }: { address: string }) {
  const [follow, setFollow] = useState(true)
  const lines = useQuery({ queryKey: ['function-logs', address], queryFn: ({ signal }) => api<Line[]>(`${address}/logs?limit=300`, { signal }), refetchInterval: follow ? 2000 : false })
  return (
    <Section title="Logs" actions={<CheckField label="Follow" checked={follow} onChange={(event) => setFollow(event.target.checked)} />}>
      <Loaded result={lines}>
        {(rows) => (
          <List
            label="Log lines"
            rows={rows.toReversed().map((row, index) => ({ ...row, key: `${row.at}.${index}` }))}
            id={(row) => row.key}
            empty="Nothing was written yet."
            columns={[
              { name: 'When', cell: (row) => moment(row.at) },
              { name: 'Level', cell: (row) => <Badge tone={row.level === 'error' || (row.status ?? 0) >= 500 ? 'bad' : 'calm'}>{row.level ?? row.kind}</Badge> },
              { name: 'Text', cell: (row) => (row.kind === 'call' ? `${row.method ?? ''} ${row.path ?? ''} → ${row.status ?? ''} in ${milliseconds(row.ms)}` : <code className="break">{row.text}</code>) },
              { name: 'Request', wide: true, cell: (row) => (row.request ? <Link to={`/trace/${encodeURIComponent(row.request)}`}>{row.request}</Link> : '') },
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

interface Recorded extends Brief {
  headers: [string, string][]
  body: string | null
  answer_headers: [string, string][]
  answer: string | null
  replayable: boolean
  lines: Line[]
}

function written(headers: [string, string][]): string {
  return headers.map(([header, value]) => `${header}: ${value}`).join('\n') || '(none)'
}

function CallDialog({ address, id, onClose }: { address: string; id: string; onClose: () => void }) {
  const session = useSession()
  const call = useQuery({ queryKey: ['call', address, id], queryFn: ({ signal }) => api<Recorded>(`${address}/calls/${encodeURIComponent(id)}`, { signal }) })
  const [again, setAgain] = useState<{ status: number; body: string } | null>(null)
  const { act, busy } = useAct('function')
  return (
    <Dialog
      title="Invocation"
      wide
      onClose={onClose}
      actions={
        <Button
          disabled={!call.data?.replayable || session.read_only}
          busy={busy !== ''}
          onClick={() => void act('Replay', async () => setAgain(await api<{ status: number; body: string }>(`${address}/replay`, { method: 'POST', body: { id } })), 'Replayed')}
        >
          Replay
        </Button>
      }
    >
      <Loaded result={call}>
        {(data) => (
          <>
            <Facts
              facts={[
                ['When', moment(data.at)],
                ['Request', `${data.method} ${data.path}${data.query ? `?${data.query}` : ''}`],
                ['Status', <Badge key="s" tone={data.status >= 500 ? 'bad' : data.status >= 400 ? 'warn' : 'good'}>{data.status}</Badge>],
                ['Took', milliseconds(data.ms)],
                ['Version', data.version],
                ['Request id', <Link key="t" to={`/trace/${encodeURIComponent(data.request)}`}>{data.request}</Link>],
              ]}
            />
            {data.body === null ? (
              <p className="note">
                Only what is above was kept, so it cannot be replayed. Say <code>record = true</code> in the function.toml, or set FUNCTIONS_RECORD, to keep requests and answers.
              </p>
            ) : (
              <div className="columns">
                <section className="stack" aria-label="Request">
                  <h3>Request</h3>
                  <Code label="Headers of the request">{written(data.headers)}</Code>
                  <Code label="Body of the request">{data.body === '' ? '(empty)' : pretty(data.body)}</Code>
                </section>
                <section className="stack" aria-label="Response">
                  <h3>Response</h3>
                  <Code label="Headers of the response">{written(data.answer_headers)}</Code>
                  <Code label="Body of the response">{data.answer ? pretty(data.answer) : '(empty)'}</Code>
                </section>
              </div>
            )}
            <h3>Logs</h3>
            {data.lines.length === 0 ? <p className="muted">It wrote nothing.</p> : <Code label="Lines">{data.lines.map((line) => `${plain(line.level)} ${plain(line.text)}`).join('\n')}</Code>}
            {again ? (
              <div role="status">
                <h3>Response of the replay: {again.status}</h3>
                <Code label="Response of the replay">{pretty(again.body)}</Code>
              </div>
            ) : null}
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
