/** Edits that wait to be saved together. A row is named by its key as it was loaded, so that an edit of the key itself is no loss. */

export type Value = string | null

/** What a column gives by itself: neither NULL nor an empty text. */
export const DEFAULT = Symbol('DEFAULT')
export type Put = Value | typeof DEFAULT
export type Values = Record<string, Value>

export interface Update {
  key: Values
  /** What stood there when it was read: the server refuses where that changed since. */
  old: Values
  set: Record<string, Put>
}

export type Edits = ReadonlyMap<string, Update>

export const noEdits: Edits = new Map()

export function rowId(key: Values): string {
  return JSON.stringify(Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** One more edit. Setting back what was there takes the edit away. */
export function edit(edits: Edits, key: Values, column: string, old: Value, value: Put): Edits {
  const id = rowId(key)
  const before = edits.get(id)
  const original = before && column in before.old ? (before.old[column] ?? null) : old
  const olds = { ...before?.old, [column]: original }
  const set: Record<string, Put> = { ...before?.set, [column]: value }
  if (value === original) {
    delete olds[column]
    delete set[column]
  }
  const next = new Map(edits)
  if (Object.keys(set).length === 0) next.delete(id)
  else next.set(id, { key, old: olds, set })
  return next
}

export function edited(edits: Edits, key: Values | null, column: string): Put | undefined {
  const set = key ? edits.get(rowId(key))?.set : undefined
  return set && column in set ? (set[column] ?? null) : undefined
}

export function cellCount(edits: Edits): number {
  return [...edits.values()].reduce((sum, { set }) => sum + Object.keys(set).length, 0)
}

/** The changes as the server takes them: what is set, and what gets its default again. */
export function changes(edits: Edits) {
  return [...edits.values()].map(({ key, old, set }) => {
    const pairs = Object.entries(set)
    const defaults = pairs.flatMap(([name, value]) => (value === DEFAULT ? [name] : []))
    return { kind: 'update' as const, key, old, set: Object.fromEntries(pairs.filter(([, value]) => value !== DEFAULT)), ...(defaults.length > 0 ? { default: defaults } : {}) }
  })
}

/** A value as a list shows it. */
export function shownValue(value: Put | undefined): string {
  if (value === DEFAULT) return 'DEFAULT'
  if (value === null || value === undefined) return 'NULL'
  return value === '' ? 'EMPTY' : value.length > 200 ? `${value.slice(0, 200)}…` : value
}
