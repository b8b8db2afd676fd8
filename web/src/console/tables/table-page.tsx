import { useQueryClient } from '@tanstack/react-query'
import { ArrowDownUp, CircleHelp, Code as CodeIcon, Download, Filter as FilterIcon, Plus, RotateCw, Trash2, Upload as UploadIcon, X } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { useLatest } from '@/ui/use-latest'
import { toast } from '@/ui/toast-store'
import { ApiError, api } from '../lib/api'
import type { Catalog, Table } from '../lib/catalog'
import { count, milliseconds } from '../lib/format'
import { useKept, useUnsaved } from '../lib/kept'
import { useRecordsAlone, useSession } from '../lib/session'
import { Button, IconButton } from '../parts/button'
import { Grid, type GridCell, type GridColumn } from '../parts/grid'
import { Badge } from '../parts/page'
import { Empty, Failure, Loading } from '../parts/states'
import { nextOrder, operatorWords, readFilters, readOrder, tablePath, writeView } from './address'
import { AsWhom, Why } from './as-whom'
import { CellDialog, CellEditor } from './editors'
import { DEFAULT, type Edits, type Put, type Value, type Values, cellCount, changes, edit, edited, noEdits } from './edits'
import { FilterDialog, SortDialog } from './filters'
import { ImportDialog } from './import'
import { RowPanel } from './row-panel'
import { BIG, type LoadedRow, SHORT, type View, useRows, wholeValue } from './rows'
import { DeleteRows, Review, SaveProblem, Total } from './table-dialogs'
import { ExportDialog, RequestDialog } from './transfer'
import { editorOf, writable } from './types'

type Open = { kind: 'insert'; like?: Values } | { kind: 'filter' | 'sort' | 'import' | 'export' | 'request' | 'why' | 'delete' | 'review' } | { kind: 'row'; row: Values; key: Values } | null

const NOWHERE: ReadonlySet<number> = new Set()

export function TablePage({ table }: { catalog: Catalog; table: Table }) {
  const session = useSession()
  const recordsAlone = useRecordsAlone()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const as = params.get('as') ?? 'service'
  const view = useMemo<View>(() => ({ schema: table.schema, table: table.name, filters: readFilters(params), order: readOrder(params), as: params.get('as') ?? 'service' }), [table.schema, table.name, params])
  const [waits, setWaits] = useState<View | null>(null)
  const { result, first, rows } = useRows(view, waits === view ? 300 : (table.estimate ?? 0) > BIG ? SHORT : 15)
  const [edits, setEdits] = useKept<Edits>(`edits ${table.schema}.${table.name}`, noEdits)
  useUnsaved(`edits ${table.schema}.${table.name}`, edits.size > 0)
  const left = useLatest(edits)
  useEffect(
    () => () => {
      if (left.current.size > 0) toast({ title: 'Not saved yet', description: `Changes of ${table.schema}.${table.name} wait there until this page is closed.` })
    },
    [left, table.schema, table.name],
  )
  const [saving, setSaving] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const [chosen, setChosen] = useState<ReadonlySet<number>>(NOWHERE)
  const [open, setOpen] = useState<Open>(null)
  const [editing, setEditing] = useState<{ row: number; column: number; large: boolean } | null>(null)

  const shown = useMemo(() => (first?.columns ?? table.columns).map((column) => table.columns.find(({ name }) => name === column.name) ?? { name: column.name, type: column.type, nullable: true, default: null, identity: null, generated: null, enum: null, comment: null }), [first?.columns, table.columns])
  // Rows are told apart by the primary key, or by what is unique and never NULL: the server says by which.
  const keyColumns = first ? first.key : table.primary_key.length > 0 ? table.primary_key : null
  const columns = useMemo<GridColumn[]>(() => shown.map((column) => ({ name: column.name, type: column.type, note: keyColumns?.includes(column.name) ? 'key' : undefined, number: editorOf(column) === 'number' })), [shown, keyColumns])
  const keyed = keyColumns !== null && table.kind.includes('table')
  const readOnly = session.read_only || !keyed

  const look = (change: Parameters<typeof writeView>[1]) => {
    setChosen(NOWHERE)
    setParams(writeView(params, change))
  }
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: ['rows'] }), [queries])

  const valueOf = (row: LoadedRow, column: number): Put => {
    const name = shown[column]?.name ?? ''
    const waiting = edited(edits, row.key, name)
    return waiting === undefined ? (row.values[column] ?? null) : waiting
  }
  const linkOf = (row: LoadedRow, column: number): GridCell['link'] => {
    const name = shown[column]?.name ?? ''
    const key = table.foreign_keys.find((one) => one.columns[0] === name)
    const value = row.values[column]
    if (!key || value === null || value === undefined) return undefined
    const filters = key.columns.map((from, index) => ({ column: key.targets[index] ?? '', op: 'eq', value: row.values[shown.findIndex((one) => one.name === from)] ?? '' }))
    return { label: `Open ${key.table} ${value}`, follow: () => void navigate(tablePath(key.schema, key.table, filters)) }
  }
  const cell = (at: number, column: number): GridCell => {
    const row = rows[at]
    if (!row) return { text: '' }
    const put = valueOf(row, column)
    const text = put === DEFAULT ? null : put
    const changed = edited(edits, row.key, shown[column]?.name ?? '') !== undefined
    const length = changed ? undefined : row.cut.get(column)
    return {
      text: length === undefined ? text : `${text ?? ''}…`,
      state: put === DEFAULT ? 'DEFAULT' : text === null ? 'NULL' : text === '' ? 'EMPTY' : undefined,
      changed,
      link: linkOf(row, column),
    }
  }

  const take = (at: number, column: number, value: Put, old?: Value) => {
    const row = rows[at]
    const spec = shown[column]
    setEditing(null)
    if (row?.key && spec) setEdits(edit(edits, row.key, spec.name, old === undefined ? (row.values[column] ?? null) : old, value))
  }
  const textOf = (at: number, column: number): Value => {
    const row = rows[at]
    const put = row ? valueOf(row, column) : null
    return put === DEFAULT ? null : put
  }
  const startEdit = (at: number, column: number, whole = false) => {
    const row = rows[at]
    const spec = shown[column]
    if (!row || !spec) return
    const value = textOf(at, column) ?? ''
    const kind = editorOf(spec)
    const large = whole || readOnly || !writable(spec) || row.cut.has(column) || kind === 'json' || (kind === 'long' && (value.length > 80 || value.includes('\n')))
    setEditing({ row: at, column, large })
  }
  const clear = (at: number, column: number) => {
    const spec = shown[column]
    const row = rows[at]
    if (!spec || !row || readOnly || !writable(spec)) return
    if (!spec.nullable) toast({ title: `${spec.name} may not be NULL`, variant: 'destructive' })
    else if (row.cut.has(column) && row.key) void wholeValue(table.schema, table.name, row.key, spec.name).then(({ value }) => take(at, column, null, value))
    else take(at, column, null)
  }

  const write = async (list: readonly unknown[]) => {
    const answer = await api<{ changed: number }>('rows/changes', { method: 'POST', body: { schema: table.schema, table: table.name, as, changes: list } })
    await refresh()
    return answer
  }
  const save = () => {
    if (edits.size === 0 || saving) return
    setSaving(true)
    setProblem(null)
    write(changes(edits))
      .then(
        () => {
          toast({ title: `${count(edits.size)} ${edits.size === 1 ? 'row' : 'rows'} saved` })
          setEdits(noEdits)
          setOpen(null)
        },
        (error: unknown) => {
          setProblem(error)
          setOpen(null)
        },
      )
      .finally(() => setSaving(false))
  }
  // Anywhere on the page: after a dialog the focus is not back in the grid at once.
  const latest = useLatest(save)
  useLayoutEffect(() => {
    const saves = (event: globalThis.KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's' || document.querySelector('dialog[open]')) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', saves)
    return () => window.removeEventListener('keydown', saves)
  }, [latest])
  const keys = (event: KeyboardEvent, at: number) => {
    if (event.key === 'e' && !event.ctrlKey && at >= 0) {
      event.preventDefault()
      editRow(at)
    }
  }
  const editRow = (at: number, copy = false) => {
    const row = rows[at]
    if (!row?.key || readOnly) return
    const key = row.key
    // A form shows whole values: what was cut is asked for.
    void Promise.all(shown.map(async (column, index) => [column.name, row.cut.has(index) ? (await wholeValue(table.schema, table.name, key, column.name)).value : (row.values[index] ?? null)] as const)).then((pairs) =>
      setOpen(copy ? { kind: 'insert', like: Object.fromEntries(pairs) } : { kind: 'row', row: Object.fromEntries(pairs), key }),
    )
  }

  const selected = [...chosen].flatMap((at) => (rows[at]?.key ? [rows[at].key] : []))
  const total = first?.count ?? null
  const close = () => setOpen(null)

  return (
    <div className="table-page">
      <div className="stack">
        <div className="row">
          <h1 className="grow break">{table.name}</h1>
          {table.kind === 'table' ? null : <Badge>{table.kind}</Badge>}
          {table.kind.includes('table') ? table.rls ? <Badge tone="good">RLS on</Badge> : <Badge tone="warn">RLS off</Badge> : null}
          {keyed ? null : <Badge tone="warn">Rows are read only</Badge>}
          {recordsAlone ? null : (
            <>
              <Link to={`/schema?schema=${encodeURIComponent(table.schema)}&table=${encodeURIComponent(table.name)}&tab=tables`}>Definition</Link>
              <Link to={`/schema?schema=${encodeURIComponent(table.schema)}&table=${encodeURIComponent(table.name)}&tab=policies`}>{table.policies.length === 1 ? '1 policy' : `${table.policies.length} policies`}</Link>
            </>
          )}
        </div>
        <div className="grid-tools" role="toolbar" aria-label="Rows">
          <Button look="primary" icon={<Plus aria-hidden="true" />} disabled={session.read_only} onClick={() => setOpen({ kind: 'insert' })}>
            Insert row
          </Button>
          <Button icon={<FilterIcon aria-hidden="true" />} onClick={() => setOpen({ kind: 'filter' })}>
            {view.filters.length > 0 ? `Filter (${view.filters.length})` : 'Filter'}
          </Button>
          <Button icon={<ArrowDownUp aria-hidden="true" />} onClick={() => setOpen({ kind: 'sort' })}>
            {view.order.length > 0 ? `Sort (${view.order.length})` : 'Sort'}
          </Button>
          {recordsAlone ? null : (
            <>
              <AsWhom as={as} onChange={(next) => look({ as: next })} />
              <IconButton label="Why is this allowed or refused" onClick={() => setOpen({ kind: 'why' })}>
                <CircleHelp aria-hidden="true" />
              </IconButton>
            </>
          )}
          <span className="grow" />
          <IconButton label="Import" disabled={session.read_only} onClick={() => setOpen({ kind: 'import' })}>
            <UploadIcon aria-hidden="true" />
          </IconButton>
          <IconButton label="Export" onClick={() => setOpen({ kind: 'export' })}>
            <Download aria-hidden="true" />
          </IconButton>
          <IconButton label="Copy as request" disabled={!first?.request} onClick={() => setOpen({ kind: 'request' })}>
            <CodeIcon aria-hidden="true" />
          </IconButton>
          <IconButton label="Refresh" onClick={() => void refresh()}>
            <RotateCw aria-hidden="true" />
          </IconButton>
        </div>
        {keyed || !first ? null : (
          <p className="note">
            {table.kind.includes('table') ? 'No primary key, and nothing else that is unique and never NULL: two rows cannot be told apart, so they are shown and not changed. ' : `Rows of a ${table.kind} are shown and not changed. `}
            {table.kind.includes('table') && !recordsAlone && !session.read_only ? <Link to={`/schema?schema=${encodeURIComponent(table.schema)}&table=${encodeURIComponent(table.name)}&tab=tables&form=key`}>Add a primary key</Link> : null}
          </p>
        )}
        {view.filters.length > 0 ? (
          <ul className="row" aria-label="Filters">
            {view.filters.map((filter, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index} className="badge">
                {filter.column} {operatorWords(filter.op)} {filter.value}
                <IconButton label={`Remove filter ${filter.column}`} onClick={() => look({ filters: view.filters.filter((_, at) => at !== index) })}>
                  <X aria-hidden="true" />
                </IconButton>
              </li>
            ))}
          </ul>
        ) : null}
      </div>

      <div className="stack">
        {problem ? <SaveProblem error={problem} onClose={() => setProblem(null)} /> : null}
        {edits.size > 0 ? (
          <div className="pending" role="status">
            <span className="grow">
              {cellCount(edits)} {cellCount(edits) === 1 ? 'change' : 'changes'} in {edits.size} {edits.size === 1 ? 'row' : 'rows'} not saved yet
            </span>
            <Button onClick={() => setOpen({ kind: 'review' })}>Review changes</Button>
            <Button onClick={() => setEdits(noEdits)} disabled={saving}>
              Discard
            </Button>
            <Button look="primary" busy={saving} onClick={save}>
              Save changes
            </Button>
          </div>
        ) : null}
        {chosen.size > 0 ? (
          <div className="pending" role="status">
            <span className="grow">
              {chosen.size} {chosen.size === 1 ? 'row' : 'rows'} chosen
            </span>
            {chosen.size === 1 ? (
              <>
                <Button disabled={readOnly} onClick={() => editRow([...chosen][0] ?? 0)}>
                  Edit row
                </Button>
                <Button disabled={readOnly} onClick={() => editRow([...chosen][0] ?? 0, true)}>
                  Duplicate row
                </Button>
              </>
            ) : null}
            <Button onClick={() => setChosen(NOWHERE)}>Choose none</Button>
            <Button look="danger" icon={<Trash2 aria-hidden="true" />} disabled={readOnly || selected.length === 0} onClick={() => setOpen({ kind: 'delete' })}>
              {chosen.size === 1 ? 'Delete row' : `Delete ${chosen.size} rows`}
            </Button>
          </div>
        ) : null}
        {result.isError && rows.length > 0 ? <Failure error={result.error} onRetry={() => void result.refetch()} /> : null}
      </div>

      {result.isError && rows.length === 0 ? (
        <div className="stack">
          <Failure error={result.error} onRetry={() => void result.refetch()} />
          {result.error instanceof ApiError && result.error.problem.code === 'too_slow' ? (
            <div className="row">
              <Button look="primary" onClick={() => setWaits(view)}>
                Wait for them
              </Button>
              {view.order.length > 0 ? <Button onClick={() => look({ order: [] })}>Do not sort</Button> : null}
            </div>
          ) : recordsAlone ? null : (
            <div>
              <Button icon={<CircleHelp aria-hidden="true" />} onClick={() => setOpen({ kind: 'why' })}>
                Why is it refused
              </Button>
            </div>
          )}
        </div>
      ) : result.isPending ? (
        <div className="stack">
          <Loading what="Reading rows" />
          {waits === view ? (
            <div>
              <Button onClick={() => setWaits(null)}>Stop</Button>
            </div>
          ) : null}
        </div>
      ) : rows.length === 0 ? (
        <Empty title={view.filters.length > 0 ? 'No row passes the filters.' : as === 'service' ? 'This table has no rows.' : 'Nobody of this role sees a row here.'}>
          {view.filters.length > 0 ? <Button onClick={() => look({ filters: [] })}>Clear filters</Button> : null}
          {as === 'service' || recordsAlone ? null : (
            <Button icon={<CircleHelp aria-hidden="true" />} onClick={() => setOpen({ kind: 'why' })}>
              Why
            </Button>
          )}
        </Empty>
      ) : (
        <Grid
          label={`Rows of ${table.name}`}
          columns={columns}
          rowCount={rows.length}
          total={result.hasNextPage ? (total === null ? null : Math.max(total, rows.length)) : rows.length}
          cell={cell}
          sort={{
            of: (column) => {
              const now = view.order.find((one) => one.column === shown[column]?.name)
              return now ? (now.desc ? 'descending' : 'ascending') : 'none'
            },
            toggle: (column) => look({ order: nextOrder(view.order, shown[column]?.name ?? '') }),
          }}
          selection={{
            has: (at) => chosen.has(at),
            toggle: (at) => {
              const next = new Set(chosen)
              if (!next.delete(at)) next.add(at)
              setChosen(next)
            },
            all: () => setChosen(chosen.size === rows.length ? NOWHERE : new Set(rows.keys())),
            every: chosen.size === rows.length,
          }}
          onEdit={startEdit}
          onClear={clear}
          onEnd={() => {
            if (result.hasNextPage && !result.isFetching) void result.fetchNextPage()
          }}
          onKey={keys}
          editing={
            editing && !editing.large && shown[editing.column] && rows[editing.row]
              ? {
                  row: editing.row,
                  column: editing.column,
                  editor: (
                    <CellEditor
                      column={shown[editing.column] as (typeof shown)[number]}
                      value={textOf(editing.row, editing.column)}
                      onTake={(value) => take(editing.row, editing.column, value)}
                      onLeave={() => setEditing(null)}
                      onWhole={() => setEditing({ ...editing, large: true })}
                    />
                  ),
                }
              : null
          }
        />
      )}

      <div className="row muted" role="status">
        <span>
          {count(rows.length)} rows {result.hasNextPage ? 'read, more below' : 'in all'}
        </span>
        {result.hasNextPage ? <Total view={view} estimate={total} exact={first?.count_is === 'exact'} /> : null}
        {first ? <span>{milliseconds(first.ms)}</span> : null}
        {result.isFetchingNextPage ? <span>Reading more…</span> : null}
      </div>

      {editing?.large && shown[editing.column] && rows[editing.row] ? (
        <CellDialog
          schema={table.schema}
          table={table.name}
          rowKey={rows[editing.row]?.key ?? null}
          column={shown[editing.column] as (typeof shown)[number]}
          value={textOf(editing.row, editing.column)}
          cut={(rows[editing.row]?.cut.has(editing.column) ?? false) && edited(edits, rows[editing.row]?.key ?? null, shown[editing.column]?.name ?? '') === undefined}
          readOnly={readOnly || !writable(shown[editing.column] as (typeof shown)[number])}
          onTake={(value, old) => take(editing.row, editing.column, value, old)}
          onClose={() => setEditing(null)}
        />
      ) : null}
      {open?.kind === 'filter' ? <FilterDialog table={table} filters={view.filters} onClose={close} onApply={(filters) => (look({ filters }), close())} /> : null}
      {open?.kind === 'sort' ? <SortDialog table={table} order={view.order} onClose={close} onApply={(order) => (look({ order }), close())} /> : null}
      {open?.kind === 'import' ? <ImportDialog table={table} onClose={close} /> : null}
      {open?.kind === 'export' ? <ExportDialog view={view} onClose={close} /> : null}
      {open?.kind === 'request' && first?.request ? <RequestDialog request={first.request} onClose={close} /> : null}
      {open?.kind === 'why' ? <Why schema={table.schema} table={table.name} as={as} onClose={close} /> : null}
      {open?.kind === 'insert' ? <RowPanel table={table} row={null} like={open.like} onClose={close} onSave={(set) => write([{ kind: 'insert', set }]).then(() => toast({ title: 'Row inserted' }))} /> : null}
      {open?.kind === 'row' ? <RowPanel table={table} row={open.row} onClose={close} onSave={(set, old) => write([{ kind: 'update', key: open.key, old, set }]).then(() => toast({ title: 'Row saved' }))} /> : null}
      {open?.kind === 'review' ? <Review edits={edits} busy={saving} onSave={save} onClose={close} /> : null}
      {open?.kind === 'delete' ? (
        <DeleteRows
          table={table}
          keys={selected}
          onClose={close}
          onDelete={async () => {
            await write(selected.map((key) => ({ kind: 'delete', key })))
            toast({ title: `${count(selected.length)} ${selected.length === 1 ? 'row' : 'rows'} deleted` })
            setChosen(NOWHERE)
          }}
        />
      ) : null}
    </div>
  )
}
