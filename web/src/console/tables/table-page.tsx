import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDownUp, CircleHelp, Code as CodeIcon, Download, Filter as FilterIcon, Plus, RotateCw, Trash2, Upload as UploadIcon, X } from 'lucide-react'
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { toast } from '@/ui/toast-store'
import { ApiError, api, isRecord } from '../lib/api'
import type { Catalog, Table } from '../lib/catalog'
import { count, milliseconds } from '../lib/format'
import { useRecordsAlone, useSession } from '../lib/session'
import { Button, IconButton } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { Grid, type GridCell, type GridColumn } from '../parts/grid'
import { List } from '../parts/list'
import { Badge } from '../parts/page'
import { Empty, Failure, Loaded, Loading } from '../parts/states'
import { nextOrder, operators, readFilters, readOrder, tablePath, writeView } from './address'
import { AsWhom, Why } from './as-whom'
import { CellDialog, CellEditor } from './editors'
import { type Edits, type Value, type Values, cellCount, changes, edit, edited, noEdits } from './edits'
import { FilterDialog, SortDialog } from './filters'
import { RowPanel } from './row-panel'
import { type LoadedRow, type View, useRows, wholeValue } from './rows'
import { ExportDialog, ImportDialog, RequestDialog } from './transfer'
import { editorOf, writable } from './types'

type Open = { kind: 'filter' | 'sort' | 'insert' | 'import' | 'export' | 'request' | 'why' | 'delete' | 'review' } | { kind: 'row'; row: Values; key: Values } | null

const NOWHERE: ReadonlySet<number> = new Set()

export function TablePage({ table }: { catalog: Catalog; table: Table }) {
  const session = useSession()
  const recordsAlone = useRecordsAlone()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const as = params.get('as') ?? 'service'
  const view = useMemo<View>(() => ({ schema: table.schema, table: table.name, filters: readFilters(params), order: readOrder(params), as: params.get('as') ?? 'service' }), [table.schema, table.name, params])
  const { result, first, rows } = useRows(view, table.primary_key)
  const [edits, setEdits] = useState<Edits>(noEdits)
  const [saving, setSaving] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const [chosen, setChosen] = useState<ReadonlySet<number>>(NOWHERE)
  const [open, setOpen] = useState<Open>(null)
  const [editing, setEditing] = useState<{ row: number; column: number; large: boolean } | null>(null)

  const shown = useMemo(() => (first?.columns ?? table.columns).map((column) => table.columns.find(({ name }) => name === column.name) ?? { name: column.name, type: column.type, nullable: true, default: null, identity: null, generated: null, enum: null, comment: null }), [first?.columns, table.columns])
  const columns = useMemo<GridColumn[]>(() => shown.map((column) => ({ name: column.name, type: column.type, note: table.primary_key.includes(column.name) ? 'key' : undefined, number: editorOf(column) === 'number' })), [shown, table.primary_key])
  const keyed = table.primary_key.length > 0 && table.kind.includes('table')
  const readOnly = session.read_only || !keyed

  const look = (change: Parameters<typeof writeView>[1]) => {
    setChosen(NOWHERE)
    setParams(writeView(params, change))
  }
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: ['rows'] }), [queries])

  const valueOf = (row: LoadedRow, column: number): Value => {
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
    const text = valueOf(row, column)
    const changed = edited(edits, row.key, shown[column]?.name ?? '') !== undefined
    const length = changed ? undefined : row.cut.get(column)
    return {
      text: length === undefined ? text : `${text ?? ''}…`,
      state: text === null ? 'NULL' : text === '' ? 'EMPTY' : undefined,
      changed,
      link: linkOf(row, column),
    }
  }

  const take = (at: number, column: number, value: Value, old?: Value) => {
    const row = rows[at]
    const spec = shown[column]
    setEditing(null)
    if (row?.key && spec) setEdits(edit(edits, row.key, spec.name, old === undefined ? (row.values[column] ?? null) : old, value))
  }
  const startEdit = (at: number, column: number) => {
    const row = rows[at]
    const spec = shown[column]
    if (!row || !spec) return
    const value = valueOf(row, column) ?? ''
    const kind = editorOf(spec)
    const large = readOnly || !writable(spec) || row.cut.has(column) || kind === 'json' || (kind === 'long' && (value.length > 80 || value.includes('\n')))
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
  const keys = (event: KeyboardEvent, at: number) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault()
      save()
    } else if (event.key === 'e' && !event.ctrlKey && at >= 0) {
      event.preventDefault()
      editRow(at)
    }
  }
  const editRow = (at: number) => {
    const row = rows[at]
    if (!row?.key || readOnly) return
    const key = row.key
    // A form shows whole values: what was cut is asked for.
    void Promise.all(shown.map(async (column, index) => [column.name, row.cut.has(index) ? (await wholeValue(table.schema, table.name, key, column.name)).value : (row.values[index] ?? null)] as const)).then((pairs) =>
      setOpen({ kind: 'row', row: Object.fromEntries(pairs), key }),
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
          {keyed ? null : <Badge tone="warn">No primary key: read only</Badge>}
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
        {view.filters.length > 0 ? (
          <ul className="row" aria-label="Filters">
            {view.filters.map((filter, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index} className="badge">
                {filter.column} {operators.find(({ op }) => op === filter.op)?.label ?? filter.op} {filter.value}
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
              <Button disabled={readOnly} onClick={() => editRow([...chosen][0] ?? 0)}>
                Edit row
              </Button>
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
          {recordsAlone ? null : (
            <div>
              <Button icon={<CircleHelp aria-hidden="true" />} onClick={() => setOpen({ kind: 'why' })}>
                Why is it refused
              </Button>
            </div>
          )}
        </div>
      ) : result.isPending ? (
        <Loading what="Reading rows" />
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
                      value={valueOf(rows[editing.row] as LoadedRow, editing.column)}
                      onTake={(value) => take(editing.row, editing.column, value)}
                      onLeave={() => setEditing(null)}
                    />
                  ),
                }
              : null
          }
        />
      )}

      <div className="row muted" role="status">
        <span>
          {count(rows.length)} rows read{result.hasNextPage ? ', more below' : ''}
        </span>
        {result.hasNextPage || total !== null ? <Total view={view} estimate={total} exact={first?.count_is === 'exact'} /> : null}
        {first ? <span>{milliseconds(first.ms)}</span> : null}
        {result.isFetchingNextPage ? <span>Reading more…</span> : null}
      </div>

      {editing?.large && shown[editing.column] && rows[editing.row] ? (
        <CellDialog
          schema={table.schema}
          table={table.name}
          rowKey={rows[editing.row]?.key ?? null}
          column={shown[editing.column] as (typeof shown)[number]}
          value={valueOf(rows[editing.row] as LoadedRow, editing.column)}
          cut={(rows[editing.row]?.cut.has(editing.column) ?? false) && edited(edits, rows[editing.row]?.key ?? null, shown[editing.column]?.name ?? '') === undefined}
          readOnly={readOnly || !writable(shown[editing.column] as (typeof shown)[number])}
          onTake={(value, old) => take(editing.row, editing.column, value, old)}
          onClose={() => setEditing(null)}
        />
      ) : null}
      {open?.kind === 'filter' ? <FilterDialog table={table} filters={view.filters} onClose={close} onApply={(filters) => (look({ filters }), close())} /> : null}
      {open?.kind === 'sort' ? <SortDialog table={table} order={view.order} onClose={close} onApply={(order) => (look({ order }), close())} /> : null}
      {open?.kind === 'import' ? <ImportDialog schema={table.schema} table={table.name} onClose={close} /> : null}
      {open?.kind === 'export' ? <ExportDialog view={view} onClose={close} /> : null}
      {open?.kind === 'request' && first?.request ? <RequestDialog request={first.request} onClose={close} /> : null}
      {open?.kind === 'why' ? <Why schema={table.schema} table={table.name} as={as} onClose={close} /> : null}
      {open?.kind === 'insert' ? <RowPanel table={table} row={null} onClose={close} onSave={(set) => write([{ kind: 'insert', set }]).then(() => toast({ title: 'Row inserted' }))} /> : null}
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

/** How many there are: an estimate, and the exact figure when asked for. */
function Total({ view, estimate, exact }: { view: View; estimate: number | null; exact: boolean }) {
  const counted = useQuery({
    queryKey: ['rows', 'count', view],
    enabled: false,
    gcTime: 0,
    queryFn: ({ signal }) => api<{ count: number | null }>('rows', { method: 'POST', signal, body: { ...view, limit: 1, after: null, count: 'exact' } }),
  })
  const queries = useQueryClient()
  if (counted.data) return <span>{count(counted.data.count)} in all</span>
  return (
    <>
      {estimate === null ? null : <span>{exact ? `${count(estimate)} in all` : `about ${count(estimate)} in all`}</span>}
      {exact ? null : counted.isFetching ? (
        <Button look="quiet" onClick={() => void queries.cancelQueries({ queryKey: ['rows', 'count', view] })}>
          Stop counting
        </Button>
      ) : (
        <Button look="quiet" onClick={() => void counted.refetch()}>
          Count exactly
        </Button>
      )}
      {counted.isError ? <span className="wrong">{counted.error.message}</span> : null}
    </>
  )
}

function SaveProblem({ error, onClose }: { error: unknown; onClose: () => void }) {
  const now = error instanceof ApiError && error.problem.code === 'row_changed' && isRecord(error.body) ? error.body.now : undefined
  return (
    <div className="stack">
      <Failure error={error} />
      {isRecord(now) ? (
        <List
          label="The row as it stands now"
          rows={Object.entries(now)}
          id={([name]) => name}
          empty="The row is gone."
          columns={[
            { name: 'Column', cell: ([name]) => name },
            { name: 'Now', cell: ([, value]) => (value === null ? 'NULL' : String(value)) },
          ]}
        />
      ) : null}
      <div>
        <Button onClick={onClose}>Dismiss</Button>
      </div>
    </div>
  )
}

function Review({ edits, busy, onSave, onClose }: { edits: Edits; busy: boolean; onSave: () => void; onClose: () => void }) {
  const lines = [...edits.values()].flatMap((update) => Object.keys(update.set).map((column) => ({ update, column })))
  const text = (value: Value | undefined) => (value === null || value === undefined ? 'NULL' : value === '' ? 'EMPTY' : value.length > 200 ? `${value.slice(0, 200)}…` : value)
  return (
    <Dialog
      title="Changes to be saved together"
      wide
      onClose={onClose}
      locked={busy}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" busy={busy} onClick={onSave}>
            Save all
          </Button>
        </>
      }
    >
      <List
        label="Changes"
        rows={lines}
        id={({ update, column }) => JSON.stringify(update.key) + column}
        empty="Nothing is changed."
        columns={[
          { name: 'Row', cell: ({ update }) => Object.values(update.key).join(', ') },
          { name: 'Column', cell: ({ column }) => column },
          { name: 'Was', cell: ({ update, column }) => text(update.old[column]) },
          { name: 'Becomes', cell: ({ update, column }) => text(update.set[column]) },
        ]}
      />
    </Dialog>
  )
}

function DeleteRows({ table, keys, onDelete, onClose }: { table: Table; keys: Values[]; onDelete: () => Promise<unknown>; onClose: () => void }) {
  const along = useQuery({
    queryKey: ['delete-preview', table.schema, table.name, keys],
    gcTime: 0,
    queryFn: ({ signal }) => api<{ tables: { schema: string; table: string; count: number; rule: string }[] }>('rows/delete-preview', { method: 'POST', signal, body: { schema: table.schema, table: table.name, keys } }),
  })
  const what = keys.length === 1 ? 'row' : `${keys.length} rows`
  const words: Record<string, string> = { cascade: 'are deleted along', 'set null': 'lose the reference', restrict: 'forbid it', 'no action': 'forbid it' }
  return (
    <Confirm title={`Delete ${what}`} action={keys.length === 1 ? 'Delete row' : 'Delete rows'} onConfirm={onDelete} onClose={onClose}>
      <p>
        Delete {what} of {table.schema}.{table.name}? This cannot be taken back.
      </p>
      <Loaded result={along} what="Looking what goes along">
        {({ tables }) => {
          const hit = tables.filter((one) => one.count > 0)
          return hit.length === 0 ? (
            <p>Nothing else points to {keys.length === 1 ? 'it' : 'them'}.</p>
          ) : (
            <List
              label="What goes along"
              rows={hit}
              id={(one) => `${one.schema}.${one.table}.${one.rule}`}
              empty=""
              columns={[
                { name: 'Table', cell: (one) => `${one.schema}.${one.table}` },
                { name: 'Rows', end: true, cell: (one) => count(one.count) },
                { name: 'What happens', cell: (one) => words[one.rule] ?? one.rule },
              ]}
            />
          )
        }}
      </Loaded>
    </Confirm>
  )
}
