import type { Column } from '../lib/catalog'

/** How a column's values are typed in. */
export type Editor = 'boolean' | 'enum' | 'json' | 'array' | 'long' | 'number' | 'date' | 'time' | 'line'

export function editorOf(column: Pick<Column, 'type' | 'enum'>): Editor {
  const type = column.type.toLowerCase()
  if (type.endsWith('[]')) return 'array'
  if (column.enum) return 'enum'
  if (type === 'boolean' || type === 'bool') return 'boolean'
  if (type === 'json' || type === 'jsonb') return 'json'
  if (/^(smallint|integer|bigint|numeric|real|double precision|decimal|int[248]|float[48]|oid)/.test(type)) return 'number'
  if (type === 'date') return 'date'
  if (type.startsWith('timestamp') || type.startsWith('time')) return 'time'
  if (type === 'text' || type.startsWith('character') || type.startsWith('varchar') || type === 'xml') return 'long'
  return 'line'
}

/** What is wrong with a text before it is sent; the database has the last word. */
export function fault(kind: Editor, text: string): string | undefined {
  if (kind === 'json') {
    try {
      JSON.parse(text)
    } catch (error) {
      return `This is no JSON: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  if (kind === 'number' && !/^\s*[+-]?(\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|NaN|Infinity)\s*$/i.test(text)) return 'This is no number.'
  if (kind === 'array' && !/^\s*(\[[^\]]*\]=)*\{[^]*\}\s*$/.test(text)) return 'An array is written {a,b,c}.'
  return undefined
}

export const hints: Partial<Record<Editor, string>> = {
  array: 'Written {a,b,c}; quote an element with a comma: {"a, b",c}',
  time: 'With its zone, such as 2026-11-22 14:30:00+01; infinity is a value too',
  date: 'Such as 2026-11-22',
}

/** Not every value may be written: the database makes some. */
export function writable(column: Column): boolean {
  return !column.generated && column.identity !== 'always' && column.identity !== 'ALWAYS'
}
