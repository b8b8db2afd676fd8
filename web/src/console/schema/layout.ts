import type { Table } from '../lib/catalog'

export const WIDTH = 220
export const LINE = 18
export const HEAD = 26
const GAP_X = 90
const GAP_Y = 36
/** More columns than these are told as a number. */
export const COLUMNS = 12

export interface Spot {
  x: number
  y: number
}

export function heightOf(table: Table): number {
  return HEAD + Math.min(table.columns.length, COLUMNS + 1) * LINE + 6
}

/** Tables in layers: what is pointed to stands left of what points. A ring of references ends where it began. */
export function layers(tables: readonly Table[]): Table[][] {
  const id = (schema: string, name: string) => `${schema}.${name}`
  const known = new Map(tables.map((table) => [id(table.schema, table.name), table]))
  const depth = new Map<string, number>()
  const visiting = new Set<string>()
  const depthOf = (name: string): number => {
    const found = depth.get(name)
    if (found !== undefined) return found
    const table = known.get(name)
    if (!table || visiting.has(name)) return -1
    visiting.add(name)
    const value = 1 + Math.max(-1, ...table.foreign_keys.map((key) => (id(key.schema, key.table) === name ? -1 : depthOf(id(key.schema, key.table)))))
    visiting.delete(name)
    depth.set(name, value)
    return value
  }
  const result: Table[][] = []
  for (const [name, table] of known) (result[depthOf(name)] ??= []).push(table)
  return result.filter(Boolean)
}

/** Where each table stands at first: a column of the picture for a layer, broken where it grows too tall. */
export function place(tables: readonly Table[], tall = 1400): Map<string, Spot> {
  const spots = new Map<string, Spot>()
  let x = 20
  for (const layer of layers(tables)) {
    let y = 20
    for (const table of layer) {
      if (y > 20 && y + heightOf(table) > tall) {
        x += WIDTH + GAP_X / 2
        y = 20
      }
      spots.set(table.name, { x, y })
      y += heightOf(table) + GAP_Y
    }
    x += WIDTH + GAP_X
  }
  return spots
}
