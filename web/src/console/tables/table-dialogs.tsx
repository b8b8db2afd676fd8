import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, isRecord } from '../lib/api'
import type { Table } from '../lib/catalog'
import { count } from '../lib/format'
import { Button } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { List } from '../parts/list'
import { Failure, Loaded } from '../parts/states'
import { type Edits, type Values, shownValue } from './edits'
import type { View } from './rows'

/** How many there are: an estimate, and the exact figure when asked for. */
export function Total({ view, estimate, exact }: { view: View; estimate: number | null; exact: boolean }) {
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

export function SaveProblem({ error, onClose }: { error: unknown; onClose: () => void }) {
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

export function Review({ edits, busy, onSave, onClose }: { edits: Edits; busy: boolean; onSave: () => void; onClose: () => void }) {
  const lines = [...edits.values()].flatMap((update) => Object.keys(update.set).map((column) => ({ update, column })))
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
          { name: 'Was', cell: ({ update, column }) => shownValue(update.old[column]) },
          { name: 'Becomes', cell: ({ update, column }) => shownValue(update.set[column]) },
        ]}
      />
    </Dialog>
  )
}

export function DeleteRows({ table, keys, onDelete, onClose }: { table: Table; keys: Values[]; onDelete: () => Promise<unknown>; onClose: () => void }) {
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
