import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../lib/api'
import type { Filter, Order } from './address'
import type { Value, Values } from './edits'

export interface RowsAnswer {
  columns: { name: string; type: string }[]
  rows: Value[][]
  cut: [number, number, number][]
  /** The columns that tell rows apart; null where nothing does. */
  key: string[] | null
  keys: Value[][] | null
  next: unknown
  count: number | null
  count_is?: string
  ms: number
  request?: { curl: string; js: string; python: string }
}

export interface View {
  schema: string
  table: string
  filters: readonly Filter[]
  order: readonly Order[]
  as: string
}

export interface LoadedRow {
  values: Value[]
  key: Values | null
  /** The whole length of what was cut, by column. */
  cut: ReadonlyMap<number, number>
}

/** Seconds that rows of a big table may take, unless somebody says to wait: without an index all of it is read and sorted. */
export const SHORT = 2
export const BIG = 200_000

const FIRST = 100
const MORE = 500

/** Rows by pages; the next comes by the key of the last. The count is an estimate: nothing waits for a big table's rows to be counted. */
export function useRows(view: View, patience: number) {
  const result = useInfiniteQuery({
    queryKey: ['rows', view, patience],
    retry: false,
    initialPageParam: null as unknown,
    queryFn: ({ pageParam, signal }) =>
      api<RowsAnswer>('rows', { method: 'POST', signal, body: { ...view, patience, limit: pageParam === null ? FIRST : MORE, after: pageParam, count: pageParam === null ? 'estimate' : 'none' } }),
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  })
  const pages = result.data?.pages
  const rows = useMemo(() => (pages ?? []).flatMap((page) => loaded(page)), [pages])
  return { result, first: pages?.[0], rows }
}

export function loaded(page: RowsAnswer): LoadedRow[] {
  const cuts = new Map<number, Map<number, number>>()
  for (const [row, column, length] of page.cut) cuts.set(row, (cuts.get(row) ?? new Map<number, number>()).set(column, length))
  return page.rows.map((values, row) => ({ values, key: keyOf(page, row), cut: cuts.get(row) ?? new Map<number, number>() }))
}

function keyOf(page: RowsAnswer, row: number): Values | null {
  const values = page.keys?.[row]
  if (!values || !page.key) return null
  return Object.fromEntries(page.key.map((name, index) => [name, values[index] ?? null]))
}

export function wholeValue(schema: string, table: string, key: Values, column: string, signal?: AbortSignal): Promise<{ value: Value }> {
  return api('rows/cell', { method: 'POST', body: { schema, table, key, column }, signal })
}
