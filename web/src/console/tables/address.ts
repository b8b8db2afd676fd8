/** What one looks at stands in the address: filters, order, and as whom. It can be sent to somebody and comes back by "back". */

export interface Filter {
  column: string
  op: string
  value: string
}

export interface Order {
  column: string
  desc: boolean
}

export const operators: readonly { op: string; label: string; bare?: boolean }[] = [
  { op: 'eq', label: 'equals' },
  { op: 'neq', label: 'does not equal' },
  { op: 'gt', label: 'is greater than' },
  { op: 'gte', label: 'is at least' },
  { op: 'lt', label: 'is less than' },
  { op: 'lte', label: 'is at most' },
  { op: 'like', label: 'is like' },
  { op: 'ilike', label: 'is like, any case' },
  { op: 'in', label: 'is one of' },
  { op: 'is', label: 'is null, true, false' },
  { op: 'cs', label: 'contains' },
  { op: 'cd', label: 'is contained in' },
  { op: 'fts', label: 'matches words' },
]

export function readFilters(params: URLSearchParams): Filter[] {
  return params.getAll('f').flatMap((text) => {
    const [column, op, ...value] = text.split(':')
    return column && op ? [{ column: decodeURIComponent(column), op, value: value.join(':') }] : []
  })
}

export function readOrder(params: URLSearchParams): Order[] {
  return params.getAll('s').flatMap((text) => {
    const desc = text.endsWith(':desc')
    const column = decodeURIComponent(desc ? text.slice(0, -5) : text)
    return column ? [{ column, desc }] : []
  })
}

export function writeView(params: URLSearchParams, { filters, order, as }: { filters?: readonly Filter[]; order?: readonly Order[]; as?: string }): URLSearchParams {
  const next = new URLSearchParams(params)
  const put = (name: string, values: readonly string[]) => {
    next.delete(name)
    for (const value of values) next.append(name, value)
  }
  if (filters) put('f', filters.map(({ column, op, value }) => `${named(column)}:${op}:${value}`))
  if (order) put('s', order.map(({ column, desc }) => named(column) + (desc ? ':desc' : '')))
  if (as !== undefined) put('as', as === 'service' ? [] : [as])
  return next
}

function named(column: string): string {
  return encodeURIComponent(column)
}

/** What a click on a column's head does: up, down, not at all. */
export function nextOrder(order: readonly Order[], column: string): Order[] {
  const now = order.find((one) => one.column === column)
  if (!now) return [{ column, desc: false }]
  return now.desc ? [] : [{ column, desc: true }]
}

export function tablePath(schema: string, table: string, filters: readonly Filter[] = []): string {
  const search = writeView(new URLSearchParams(), { filters }).toString()
  return `/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}${search === '' ? '' : `?${search}`}`
}
