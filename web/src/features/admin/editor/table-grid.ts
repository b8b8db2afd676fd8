/** A table as rows of cells that can be written in, and back. A cell that nobody wrote in keeps its markup. */
import { sanitizedFragment } from '@/lib/html'

export interface Cell {
  text: string
  /** The cell as it was, until its text changes. */
  element: HTMLTableCellElement | null
}

export interface Grid {
  /** Whether the first row names the columns. */
  hasHeader: boolean
  rows: readonly (readonly Cell[])[]
}

export const emptyCell: Cell = { text: '', element: null }

function textOf(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement
  for (const br of copy.querySelectorAll('br')) br.replaceWith('\n')
  for (const block of copy.querySelectorAll('p, li, div, h1, h2, h3, h4, h5, h6')) block.append('\n')
  return (copy.textContent ?? '').replace(/[ \t]+/g, ' ').trim()
}

export function gridOf(html: string): Grid {
  const table = sanitizedFragment(html).querySelector('table')
  const rows = [...(table?.rows ?? [])].map((row) => [...row.cells].map((element): Cell => ({ text: textOf(element), element })))
  const width = Math.max(1, ...rows.map((row) => row.length))
  const [first] = table?.rows ?? []
  const hasHeader = first !== undefined && first.cells.length > 0 && [...first.cells].every(({ tagName }) => tagName === 'TH')
  return { hasHeader, rows: rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => emptyCell)]) }
}

export function withText(grid: Grid, row: number, column: number, text: string): Grid {
  return { ...grid, rows: grid.rows.map((cells, y) => (y === row ? cells.map((cell, x) => (x === column ? { text, element: null } : cell)) : cells)) }
}

export const withRow = (grid: Grid): Grid => ({ ...grid, rows: [...grid.rows, (grid.rows[0] ?? [emptyCell]).map(() => emptyCell)] })
export const withColumn = (grid: Grid): Grid => ({ ...grid, rows: grid.rows.map((row) => [...row, emptyCell]) })
export const withoutRow = (grid: Grid, row: number): Grid => ({ ...grid, rows: grid.rows.filter((_, y) => y !== row) })
export const withoutColumn = (grid: Grid, column: number): Grid => ({ ...grid, rows: grid.rows.map((row) => row.filter((_, x) => x !== column)) })

function cellHtml({ text, element }: Cell, isHeader: boolean): string {
  const cell = document.createElement(isHeader ? 'th' : 'td')
  if (element) {
    // A cell that names its row stays one.
    const made = !isHeader && element.tagName === 'TH' ? document.createElement('th') : cell
    for (const { name, value } of element.attributes) made.setAttribute(name, value)
    made.innerHTML = element.innerHTML
    return made.outerHTML
  }
  text.split('\n').forEach((line, index) => cell.append(...(index > 0 ? [document.createElement('br')] : []), line))
  return cell.outerHTML
}

export function tableOf({ hasHeader, rows }: Grid): string {
  const rowHtml = (cells: readonly Cell[], isHeader: boolean) => `<tr>${cells.map((cell) => cellHtml(cell, isHeader)).join('')}</tr>`
  const [first, ...others] = rows
  if (!hasHeader || !first) return `<table><tbody>${rows.map((row) => rowHtml(row, false)).join('')}</tbody></table>`
  return `<table><thead>${rowHtml(first, true)}</thead><tbody>${others.map((row) => rowHtml(row, false)).join('')}</tbody></table>`
}
