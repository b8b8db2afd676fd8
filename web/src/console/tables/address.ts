/** What one looks at stands in the address: filters, order, and as whom. It can be sent to somebody and comes back by "back". */

export interface Filter {
  column: string
  op: string
  value: string
}

export interface Order {
  column: string
  desc: boolean
  /** Where it is not said, NULL counts as the largest. */
  nulls_first?: boolean
}

/** The contract's operators, in words. */
export const operators: readonly { op: string; label: string; hint?: string }[] = [
  { op: 'eq', label: 'equals' },
  { op: 'neq', label: 'does not equal' },
  { op: 'gt', label: 'is greater than' },
  { op: 'gte', label: 'is at least' },
  { op: 'lt', label: 'is less than' },
  { op: 'lte', label: 'is at most' },
  { op: 'like', label: 'is like', hint: '%text%' },
  { op: 'ilike', label: 'is like, any case', hint: '%text%' },
  { op: 'match', label: 'matches expression', hint: '^[a-z]+$' },
  { op: 'imatch', label: 'matches expression, any case', hint: '^[a-z]+$' },
  { op: 'in', label: 'is one of', hint: '(a,b,"c, d")' },
  { op: 'is', label: 'is null, true, false', hint: 'null' },
  { op: 'isdistinct', label: 'is distinct from' },
  { op: 'fts', label: 'matches words', hint: 'cat & dog' },
  { op: 'plfts', label: 'has all words', hint: 'cat dog' },
  { op: 'phfts', label: 'has the phrase', hint: 'black cat' },
  { op: 'wfts', label: 'matches a web search', hint: '"black cat" -dog' },
  { op: 'cs', label: 'contains', hint: '{a,b} or {"a": 1}' },
  { op: 'cd', label: 'is contained in', hint: '{a,b}' },
  { op: 'ov', label: 'overlaps', hint: '{a,b} or [1,5)' },
  { op: 'sl', label: 'range is left of', hint: '[1,5)' },
  { op: 'sr', label: 'range is right of', hint: '[1,5)' },
  { op: 'nxr', label: 'range ends no later than', hint: '[1,5)' },
  { op: 'nxl', label: 'range begins no earlier than', hint: '[1,5)' },
  { op: 'adj', label: 'range is beside', hint: '[1,5)' },
]

const quantified = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch'])
const searches = new Set(['fts', 'plfts', 'phfts', 'wfts'])

/** An operator in its parts: `not.like(any)`, `fts(english)`. */
export interface Operator {
  not: boolean
  op: string
  modifier: string
}

export function readOperator(text: string): Operator {
  const not = text.startsWith('not.')
  const found = /^([a-z]+)(?:\((\w+)\))?$/.exec(not ? text.slice(4) : text)
  return { not, op: found?.[1] ?? text, modifier: found?.[2] ?? '' }
}

export function writeOperator({ not, op, modifier }: Operator): string {
  const kept = modifier !== '' && (searches.has(op) || (quantified.has(op) && (modifier === 'any' || modifier === 'all')))
  return `${not ? 'not.' : ''}${op}${kept ? `(${modifier})` : ''}`
}

/** What may stand behind an operator in parentheses. */
export function modifiersOf(op: string): 'quantifier' | 'language' | null {
  return quantified.has(op) ? 'quantifier' : searches.has(op) ? 'language' : null
}

/** A filter's operator in words. */
export function operatorWords(text: string): string {
  const { not, op, modifier } = readOperator(text)
  const words = operators.find((one) => one.op === op)?.label ?? op
  const behind = modifier === '' ? '' : modifiersOf(op) === 'language' ? ` (${modifier})` : modifier === 'any' ? ' any of' : ' all of'
  return `${not ? 'not: ' : ''}${words}${behind}`
}

export function readFilters(params: URLSearchParams): Filter[] {
  return params.getAll('f').flatMap((text) => {
    const [column, op, ...value] = text.split(':')
    return column && op ? [{ column: decodeURIComponent(column), op, value: value.join(':') }] : []
  })
}

export function readOrder(params: URLSearchParams): Order[] {
  return params.getAll('s').flatMap((text) => {
    const [name = '', ...more] = text.split(':')
    const column = decodeURIComponent(name)
    if (column === '') return []
    const order: Order = { column, desc: more.includes('desc') }
    if (more.includes('nullsfirst')) order.nulls_first = true
    if (more.includes('nullslast')) order.nulls_first = false
    return [order]
  })
}

export function writeView(params: URLSearchParams, { filters, order, as }: { filters?: readonly Filter[]; order?: readonly Order[]; as?: string }): URLSearchParams {
  const next = new URLSearchParams(params)
  const put = (name: string, values: readonly string[]) => {
    next.delete(name)
    for (const value of values) next.append(name, value)
  }
  if (filters) put('f', filters.map(({ column, op, value }) => `${named(column)}:${op}:${value}`))
  if (order) put('s', order.map(({ column, desc, nulls_first }) => named(column) + (desc ? ':desc' : '') + (nulls_first === undefined ? '' : nulls_first ? ':nullsfirst' : ':nullslast')))
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
