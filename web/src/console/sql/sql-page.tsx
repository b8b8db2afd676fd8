import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Square, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { toast } from '@/ui/toast-store'
import { ApiError, api, isRecord } from '../lib/api'
import { useCatalog } from '../lib/catalog'
import { milliseconds, moment } from '../lib/format'
import { useKept, useUnsaved } from '../lib/kept'
import { useSession } from '../lib/session'
import { Button, IconButton } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { CheckField, SearchField, SelectField, TextArea, TextField } from '../parts/field'
import { Page, Tabs } from '../parts/page'
import { Empty, Failure, Loaded, Loading } from '../parts/states'
import { PersonDialog } from '../tables/as-whom'
import { Editor } from './editor'
import { PlanTree } from './plan'
import { Results, type SqlAnswer } from './results'

interface Snippet {
  name: string
  sql?: string
}

interface Past {
  sql: string
  at?: string
  ms?: number
  role?: string
  error?: string | null
}

const roles = ['postgres', 'anon', 'authenticated', 'service_role']

/** An answer that may stand alone or in an object. */
export function listOf<T>(answer: unknown, name: string): T[] {
  if (Array.isArray(answer)) return answer as T[]
  const inner = isRecord(answer) ? answer[name] : undefined
  return Array.isArray(inner) ? (inner as T[]) : []
}

/** A place in a text, counted from 1, as an editor counts. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at - 1).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

function runId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function SqlPage() {
  const session = useSession()
  const catalog = useCatalog()
  const queries = useQueryClient()
  const [params] = useSearchParams()
  const [start] = useState(params.get('sql'))
  const [text, setText] = useKept('sql', '')
  const [loaded, setLoaded] = useKept('sql name', '')
  // What is in a file, in the history or in the address can be had again.
  const [safe, setSafe] = useKept('sql safe', '')
  const fresh = text.trim() !== '' && text !== safe
  useUnsaved('sql', fresh)
  const [replacing, setReplacing] = useState<{ name: string; sql: string } | null>(null)
  const open = useCallback(
    (name: string, sql: string) => {
      setLoaded(name)
      setText(sql)
      setSafe(sql)
    },
    [setText, setLoaded, setSafe],
  )
  useEffect(() => {
    if (start !== null) open('', start)
  }, [start, open])
  const [role, setRole] = useState('postgres')
  const [claims, setClaims] = useState('')
  const [readOnly, setReadOnly] = useState(true)
  const [limit, setLimit] = useState('1000')
  const [timeout, setTimeoutText] = useState('30')
  const [running, setRunning] = useState<string | null>(null)
  const [answer, setAnswer] = useState<SqlAnswer | null>(null)
  const [plan, setPlan] = useState<unknown>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const [dialog, setDialog] = useState<'save' | 'person' | null>(null)
  const [analyze, setAnalyze] = useState(false)
  const stopped = useRef(false)
  const [selected, setSelected] = useState({ text: '', from: 0 })
  const [ran, setRan] = useState({ whole: '', from: 0 })
  // What is chosen runs alone.
  const chosen = selected.text.trim() === '' ? { text, from: 0 } : selected

  const ask = useCallback(
    async (path: 'sql' | 'sql/plan', statement: string, from: number, more: Record<string, unknown> = {}) => {
      if (statement.trim() === '') return
      setRan({ whole: text, from })
      if (statement === text) setSafe(text)
      const id = runId()
      let parsed: unknown = null
      try {
        parsed = claims.trim() === '' ? null : JSON.parse(claims)
      } catch {
        setProblem(new Error('The claims are no JSON.'))
        return
      }
      setRunning(id)
      stopped.current = false
      setProblem(null)
      setAnswer(null)
      setPlan(null)
      try {
        const body = { id, sql: statement, role, claims: parsed, read_only: readOnly, limit: Number(limit), timeout: Number(timeout), ...more }
        const got = await api<SqlAnswer & { plan: unknown }>(path, { method: 'POST', body })
        if (path === 'sql') setAnswer(got)
        else setPlan(got.plan)
        if (path === 'sql' && !readOnly) void queries.invalidateQueries({ queryKey: ['catalog'] })
      } catch (error) {
        setProblem(stopped.current ? new Error('Cancelled.') : error)
      } finally {
        setRunning(null)
        void queries.invalidateQueries({ queryKey: ['sql-history'] })
      }
    },
    [text, setSafe, claims, role, readOnly, limit, timeout, queries],
  )
  const cancel = () => {
    stopped.current = true
    void api('sql/cancel', { method: 'POST', body: { id: running } }).catch((error: unknown) => toast({ title: 'Cancel failed', description: String(error), variant: 'destructive' }))
  }
  const select = useCallback((part: string, from: number) => setSelected({ text: part, from }), [])
  const position = problem instanceof ApiError && isRecord(problem.body) ? Number(problem.body.position) || undefined : undefined

  return (
    <div className="split">
      <Library
        onOpen={(name, sql) => {
          if (fresh) setReplacing({ name, sql })
          else open(name, sql)
        }}
      />
      <Page title="SQL editor">
        <div className="grid-tools">
          {running === null ? (
            <Button look="primary" icon={<Play aria-hidden="true" />} onClick={() => void ask('sql', chosen.text, chosen.from)} aria-keyshortcuts="Control+Enter">
              {selected.text.trim() === '' ? 'Run' : 'Run selection'}
            </Button>
          ) : (
            <Button look="danger" icon={<Square aria-hidden="true" />} onClick={cancel}>
              Cancel
            </Button>
          )}
          <Button disabled={running !== null} onClick={() => void ask('sql/plan', chosen.text, chosen.from, { analyze })}>
            Explain
          </Button>
          <CheckField label="Analyze" checked={analyze} onChange={(event) => setAnalyze(event.target.checked)} />
          <span className="grow" />
          <CheckField label="Read only" checked={readOnly || session.read_only} disabled={session.read_only} onChange={(event) => setReadOnly(event.target.checked)} />
          <Button disabled={text.trim() === '' || session.read_only} onClick={() => setDialog('save')}>
            Save snippet
          </Button>
        </div>
        <Editor label="SQL" value={text} onChange={setText} onRun={(statement, from) => void ask('sql', statement, from)} onSelect={select} catalog={catalog.data} fault={position === undefined ? undefined : position + ran.from} />
        <details>
          <summary>
            Role, claims and limits: {role}, at most {limit} rows, {timeout} s
          </summary>
          <div className="columns" style={{ paddingTop: '0.5rem' }}>
            <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value)} options={roles} />
            <SelectField label="Row limit" value={limit} onChange={(event) => setLimit(event.target.value)} options={['100', '1000', '10000']} />
            <SelectField label="Timeout in seconds" value={timeout} onChange={(event) => setTimeoutText(event.target.value)} options={['5', '30', '120', '600']} />
            <div className="stack">
              <TextArea label="Claims" rows={3} value={claims} placeholder='{"sub": "…", "role": "authenticated"}' onChange={(event) => setClaims(event.target.value)} />
              <Button onClick={() => setDialog('person')}>Claims of a user</Button>
            </div>
          </div>
        </details>
        {running === null ? null : <Loading what="Running" />}
        {problem ? (
          <>
            <Failure error={problem} />
            {position === undefined ? null : (
              <p>
                At {placeOf(ran.whole, ran.from + position)}
                {problem instanceof ApiError && isRecord(problem.body) && typeof problem.body.statement === 'number' ? `, in statement ${problem.body.statement}` : ''}; nothing of the text was kept.
              </p>
            )}
            {problem instanceof ApiError && isRecord(problem.body) && problem.body.sqlstate === '25006' ? <p>The transaction is read only: untick "Read only" to write.</p> : null}
          </>
        ) : null}
        {plan ? <PlanTree plan={plan} /> : null}
        {answer ? <Results key={answer.ms} answer={answer} /> : null}
        {running === null && !problem && !plan && !answer ? <Empty title="Write a statement and run it with Ctrl+Enter. Several statements are one transaction." /> : null}
      </Page>
      {dialog === 'save' ? <SaveSnippet name={loaded} sql={text} onSaved={(name) => (setLoaded(name), setSafe(text))} onClose={() => setDialog(null)} /> : null}
      {replacing ? (
        <Confirm
          title="Replace the SQL?"
          action="Replace"
          calm
          onClose={() => setReplacing(null)}
          onConfirm={async () => {
            open(replacing.name, replacing.sql)
          }}
        >
          <p>What stands in the editor was neither saved nor run.</p>
        </Confirm>
      ) : null}
      {dialog === 'person' ? (
        <PersonDialog
          onClose={() => setDialog(null)}
          onChoose={(id) => {
            setDialog(null)
            setRole('authenticated')
            setClaims(JSON.stringify({ sub: id, role: 'authenticated' }, null, 2))
          }}
        />
      ) : null}
    </div>
  )
}

function SaveSnippet({ name, sql, onSaved, onClose }: { name: string; sql: string; onSaved: (name: string) => void; onClose: () => void }) {
  const [text, setText] = useState(name)
  const [error, setError] = useState('')
  const queries = useQueryClient()
  const save = () => {
    const wanted = text.trim()
    if (wanted === '') {
      setError('A snippet needs a name.')
      return
    }
    api(`snippets/${encodeURIComponent(wanted)}`, { method: 'PUT', body: { sql } }).then(
      async () => {
        await queries.invalidateQueries({ queryKey: ['snippets'] })
        toast({ title: 'Snippet saved' })
        onSaved(wanted)
        onClose()
      },
      (failed: unknown) => setError(failed instanceof Error ? failed.message : String(failed)),
    )
  }
  return (
    <Dialog
      title="Save snippet"
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Save
          </Button>
        </>
      }
    >
      <TextField label="Name" value={text} onChange={(event) => setText(event.target.value)} error={error || undefined} hint="Kept as a file of the project, so that it can stand under version control" />
    </Dialog>
  )
}

function Library({ onOpen }: { onOpen: (name: string, sql: string) => void }) {
  const [tab, setTab] = useState('snippets')
  const [text, setText] = useState('')
  const [doomed, setDoomed] = useState('')
  const queries = useQueryClient()
  const snippets = useQuery({ queryKey: ['snippets'], queryFn: ({ signal }) => api<unknown>('snippets', { signal }) })
  const past = useQuery({ queryKey: ['sql-history'], queryFn: ({ signal }) => api<unknown>('sql/history', { signal }) })
  const open = async (snippet: Snippet) => {
    const sql = snippet.sql ?? (await api<{ sql: string }>(`snippets/${encodeURIComponent(snippet.name)}`)).sql
    onOpen(snippet.name, sql)
  }
  const wanted = text.toLowerCase()
  return (
    <aside aria-label="Snippets and history">
      <div className="aside-head">
        <SearchField label="Search snippets" value={text} onChange={setText} />
      </div>
      <div className="names" style={{ padding: '0 0.5rem' }}>
        <Tabs
          label="Library"
          tabs={[
            { id: 'snippets', label: 'Snippets' },
            { id: 'history', label: 'History' },
          ]}
          current={tab}
          onChange={setTab}
        >
          {tab === 'snippets' ? (
            <Loaded result={snippets}>
              {(answer) => {
                const found = listOf<Snippet>(answer, 'snippets').filter((snippet) => snippet.name.toLowerCase().includes(wanted))
                return found.length === 0 ? (
                  <Empty title="No snippets yet." />
                ) : (
                  <ul aria-label="Snippets">
                    {found.map((snippet) => (
                      <li key={snippet.name} className="name-row">
                        <button type="button" className="link grow" onClick={() => void open(snippet)}>
                          {snippet.name}
                        </button>
                        <IconButton label={`Delete snippet ${snippet.name}`} onClick={() => setDoomed(snippet.name)}>
                          <Trash2 aria-hidden="true" />
                        </IconButton>
                      </li>
                    ))}
                  </ul>
                )
              }}
            </Loaded>
          ) : (
            <Loaded result={past}>
              {(answer) => {
                const found = listOf<Past>(answer, 'history').filter((one) => one.sql.toLowerCase().includes(wanted))
                return found.length === 0 ? (
                  <Empty title="Nothing was run yet." />
                ) : (
                  <ul aria-label="History" className="stack">
                    {found.slice(0, 100).map((one, index) => (
                      // oxlint-disable-next-line react/no-array-index-key
                      <li key={index}>
                        <button type="button" className="link break" onClick={() => onOpen('', one.sql)}>
                          {one.sql.slice(0, 80)}
                        </button>
                        <p className="muted">
                          {moment(one.at)} {one.ms === undefined ? '' : milliseconds(one.ms)} {one.error ? 'failed' : ''}
                        </p>
                      </li>
                    ))}
                  </ul>
                )
              }}
            </Loaded>
          )}
        </Tabs>
      </div>
      {doomed ? (
        <Confirm
          title="Delete snippet"
          action="Delete snippet"
          onClose={() => setDoomed('')}
          onConfirm={async () => {
            await api(`snippets/${encodeURIComponent(doomed)}`, { method: 'DELETE' })
            await queries.invalidateQueries({ queryKey: ['snippets'] })
          }}
        >
          <p>Delete the snippet {doomed}?</p>
        </Confirm>
      ) : null}
    </aside>
  )
}
