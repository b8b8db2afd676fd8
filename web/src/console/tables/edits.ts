/** Edits that wait to be saved together. A row is named by its key as it was loaded, so that an edit of the key itself is no loss. */

export type Value = string | null
export type Values = Record<string, Value>

export interface Update {
  key: Values
  /** What stood there when it was read: the server refuses where that changed since. */
  old: Values
  set: Values
}

export type Edits = ReadonlyMap<string, Update>

export const noEdits: Edits = new Map()

export function rowId(key: Values): string {
  return JSON.stringify(Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** One more edit. Setting back what was there takes the edit away. */
export function edit(edits: Edits, key: Values, column: string, old: Value, value: Value): Edits {
  const id = rowId(key)
  const before = edits.get(id)
  const original = before && column in before.old ? (before.old[column] ?? null) : old
  const olds = { ...before?.old, [column]: original }
  const set = { ...before?.set, [column]: value }
  if (value === original) {
    delete olds[column]
    delete set[column]
  }
  const next = new Map(edits)
  if (Object.keys(set).length === 0) next.delete(id)
  else next.set(id, { key, old: olds, set })
  return next
}

export function edited(edits: Edits, key: Values | null, column: string): Value | undefined {
  const set = key ? edits.get(rowId(key))?.set : undefined
  return set && column in set ? (set[column] ?? null) : undefined
}

export function cellCount(edits: Edits): number {
  return [...edits.values()].reduce((sum, { set }) => sum + Object.keys(set).length, 0)
}

export function changes(edits: Edits) {
  return [...edits.values()].map((update) => ({ kind: 'update' as const, ...update }))
}
