import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, ExternalLink } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { shortType } from '../lib/format'
import { copyText } from './button'

export interface GridColumn {
  name: string
  type: string
  /** Asked of a reader and drawn after the name, such as "key". */
  note?: string
  number?: boolean
}

export interface GridCell {
  text: string | null
  /** How a cell without a text of its own is drawn: "NULL", "DEFAULT", "EMPTY". */
  state?: string
  changed?: boolean
  /** Where a foreign key leads. */
  link?: { label: string; follow: () => void }
}

interface GridProps {
  label: string
  columns: readonly GridColumn[]
  rowCount: number
  /** How many rows there are in all; null where nobody counted. */
  total: number | null
  cell: (row: number, column: number) => GridCell
  rowTone?: (row: number) => string | undefined
  sort?: { of: (column: number) => 'ascending' | 'descending' | 'none'; toggle: (column: number) => void }
  selection?: { has: (row: number) => boolean; toggle: (row: number) => void; all: () => void; every: boolean }
  editing?: { row: number; column: number; editor: ReactNode } | null
  /** `whole` asks for the editor with room, whatever the value is. */
  onEdit?: (row: number, column: number, whole?: boolean) => void
  onClear?: (row: number, column: number) => void
  onEnd?: () => void
  /** Goes with the keys that the grid itself has no use for. */
  onKey?: (event: KeyboardEvent, row: number, column: number) => void
}

const ROW = 32
/** How wide the boxes are by which rows are chosen. */
const CHOICE = 38

function width(column: GridColumn): number {
  const head = (column.name.length + (column.note ? 5 : 0)) * 7.5 + 44
  const body = /^(bool|smallint|integer|real)/.test(column.type) ? 90 : /json|text|character|\[\]|bytea/.test(column.type) ? 230 : /uuid|timestamp/.test(column.type) ? 270 : 150
  return Math.round(Math.min(420, Math.max(head, body)))
}

/** Where a key leads, or undefined where it is none of movement. Row -1 is the head. */
export function moved(key: string, control: boolean, at: { row: number; column: number }, rows: number, columns: number, page: number): { row: number; column: number } | undefined {
  const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most))
  const row = (value: number) => ({ row: clamp(value, -1, rows - 1), column: at.column })
  const column = (value: number) => ({ row: at.row, column: clamp(value, 0, columns - 1) })
  switch (key) {
    case 'ArrowDown':
      return row(control ? rows - 1 : at.row + 1)
    case 'ArrowUp':
      return row(control ? 0 : at.row - 1)
    case 'ArrowRight':
      return column(control ? columns - 1 : at.column + 1)
    case 'ArrowLeft':
      return column(control ? 0 : at.column - 1)
    case 'PageDown':
      return row(at.row + page)
    case 'PageUp':
      return row(Math.max(0, at.row - page))
    case 'Home':
      return control ? { row: Math.min(0, rows - 1), column: 0 } : column(0)
    case 'End':
      return control ? { row: rows - 1, column: columns - 1 } : column(columns - 1)
    default:
      return undefined
  }
}

/**
 * Rows by thousands and columns by hundreds as real elements, of which only those in view exist. One tab stop; the arrows
 * move inside. The cell that has the focus stays drawn wherever one scrolls, so that the focus is never lost.
 */
export function Grid({ label, columns, rowCount, total, cell, rowTone, sort, selection, editing, onEdit, onClear, onEnd, onKey }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState({ row: 0, column: 0 })
  const moving = useRef(false)
  const first = selection ? 1 : 0
  const at = { row: Math.min(active.row, rowCount - 1), column: Math.min(active.column, columns.length - 1 + first) }
  const rangeExtractor = useCallback(
    (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const shown = defaultRangeExtractor(range)
      const kept = Math.min(active.row, rowCount - 1)
      return kept < 0 || shown.includes(kept) ? shown : [...shown, kept].sort((a, b) => a - b)
    },
    [active.row, rowCount],
  )
  const columnExtractor = useCallback(
    (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const shown = defaultRangeExtractor(range)
      const kept = Math.min(active.column, columns.length - 1 + first) - first
      return kept < 0 || shown.includes(kept) ? shown : [...shown, kept].sort((a, b) => a - b)
    },
    [active.column, columns.length, first],
  )
  const widths = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => width(columns[index] ?? { name: '', type: '' }),
    getItemKey: (index) => `${columns[index]?.name ?? ''} ${columns[index]?.type ?? ''} ${index}`,
    paddingStart: first * CHOICE,
    scrollPaddingStart: first * CHOICE,
    overscan: 3,
    rangeExtractor: columnExtractor,
    initialRect: { width: 1200, height: 600 },
  })
  const across = widths.getTotalSize()
  const drawn = widths.getVirtualItems()
  const rows = useVirtualizer({ count: rowCount, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 8, rangeExtractor, initialRect: { width: 900, height: 600 } })
  const items = rows.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (rowCount > 0 && last >= rowCount - 20) onEnd?.()
  }, [last, rowCount, onEnd])

  const focusCell = useCallback((row: number, column: number) => {
    scroller.current?.querySelector<HTMLElement>(`[data-at="${row}:${column}"]`)?.focus()
  }, [])
  useLayoutEffect(() => {
    if (!moving.current) return
    moving.current = false
    focusCell(active.row, active.column)
  }, [active, focusCell])
  const wasEditing = useRef(false)
  useLayoutEffect(() => {
    if (wasEditing.current && !editing && !document.querySelector('dialog[open]')) focusCell(active.row, active.column)
    wasEditing.current = Boolean(editing)
  }, [editing, active, focusCell])

  const move = (to: { row: number; column: number }) => {
    moving.current = true
    if (to.row >= 0) rows.scrollToIndex(to.row)
    if (to.column >= first) widths.scrollToIndex(to.column - first)
    setActive(to)
  }

  const copy = () => {
    const chosen = selection ? Array.from({ length: rowCount }, (_, row) => row).filter((row) => selection.has(row)) : []
    const line = (row: number) => columns.map((_, column) => (cell(row, column).text ?? '').replaceAll(/[\t\n]/g, ' ')).join('\t')
    const text = chosen.length > 0 ? chosen.map(line).join('\n') : (cell(at.row, Math.max(0, at.column - first)).text ?? '')
    void copyText(text)
  }

  const keys = (event: KeyboardEvent) => {
    if (editing) return
    const control = event.ctrlKey || event.metaKey
    const to = moved(event.key, control, at, rowCount, columns.length + first, Math.max(1, Math.floor((scroller.current?.clientHeight ?? 320) / ROW) - 2))
    const column = at.column - first
    if (to) move(to)
    else if (at.row === -1 && (event.key === 'Enter' || event.key === ' ')) {
      if (column < 0) selection?.all()
      else sort?.toggle(column)
    } else if (at.row >= 0 && control && event.key.toLowerCase() === 'c' && String(window.getSelection()) === '') copy()
    else if (at.row >= 0 && event.key === ' ' && selection) selection.toggle(at.row)
    else if (at.row >= 0 && (event.key === 'Enter' || event.key === 'F2') && column >= 0) {
      const link = cell(at.row, column).link
      if (control && link) link.follow()
      else onEdit?.(at.row, column, event.shiftKey)
    } else if (at.row >= 0 && (event.key === 'Delete' || event.key === 'Backspace') && column >= 0) onClear?.(at.row, column)
    else {
      onKey?.(event, at.row, column)
      return
    }
    event.preventDefault()
  }

  const shared = (row: number, column: number) => ({
    'data-at': `${row}:${column}`,
    tabIndex: at.row === row && at.column === column ? 0 : -1,
    'aria-colindex': column + 1,
    onFocus: () => {
      if (active.row !== row || active.column !== column) setActive({ row, column })
    },
  })

  return (
    <div
      ref={scroller}
      className="grid grow"
      role="grid"
      aria-label={label}
      aria-rowcount={total === null ? -1 : total + 1}
      aria-colcount={columns.length + first}
      aria-multiselectable={selection ? true : undefined}
      onKeyDown={keys}
    >
      <div className="grid-inside" role="presentation" style={{ height: rows.getTotalSize() + ROW, width: across }}>
        <div className="grid-row head" role="row" aria-rowindex={1} style={{ width: across }}>
          {selection ? (
            <div role="columnheader" className="grid-cell" style={{ width: CHOICE }} {...shared(-1, 0)} aria-label="Choose all rows">
              <input type="checkbox" tabIndex={-1} aria-label="Choose all rows" checked={selection.every} onChange={selection.all} />
            </div>
          ) : null}
          {drawn.map(({ index, start, size }) => {
            const column = columns[index]
            if (!column) return null
            const order = sort?.of(index)
            return (
              // The keys are the grid's own.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
              <div key={column.name + String(index)} role="columnheader" className="grid-cell" style={{ position: 'absolute', left: start, width: size }} aria-sort={order} title={`${column.name}: ${column.type}`} onClick={() => sort?.toggle(index)} {...shared(-1, index + first)}>
                <span>{column.name}</span>
                {column.note ? <span className="of-type">{column.note}</span> : null}
                <span className="of-type">{shortType(column.type)}</span>
                {order === 'ascending' ? <ArrowUp aria-hidden="true" /> : null}
                {order === 'descending' ? <ArrowDown aria-hidden="true" /> : null}
              </div>
            )
          })}
        </div>
        {items.map((item) => {
          const row = item.index
          const chosen = selection?.has(row) ?? false
          return (
            <div
              key={item.key}
              role="row"
              aria-rowindex={row + 2}
              aria-selected={selection ? chosen : undefined}
              className={clsx('grid-row', row % 2 === 1 && 'odd', chosen && 'chosen', rowTone?.(row))}
              style={{ transform: `translateY(${item.start}px)`, width: across }}
            >
              {selection ? (
                <div role="gridcell" className="grid-cell" style={{ width: CHOICE }} {...shared(row, 0)}>
                  <input type="checkbox" tabIndex={-1} aria-label={`Choose row ${row + 1}`} checked={chosen} onChange={() => selection.toggle(row)} />
                </div>
              ) : null}
              {drawn.map(({ index, start, size }) => {
                const column = columns[index]
                if (!column) return null
                const { text, state, changed, link } = cell(row, index)
                const here = editing?.row === row && editing.column === index
                return (
                  <div
                    key={column.name + String(index)}
                    role="gridcell"
                    className={clsx('grid-cell', state && 'null', changed && 'changed', column.number && 'number')}
                    style={{ position: 'absolute', left: start, width: size }}
                    onDoubleClick={() => onEdit?.(row, index)}
                    {...shared(row, index + first)}
                  >
                    {here ? (
                      editing.editor
                    ) : (
                      <>
                        <span>{state ?? text}</span>
                        {link ? (
                          <button type="button" tabIndex={-1} className="link" aria-label={link.label} title={link.label} onClick={link.follow}>
                            <ExternalLink aria-hidden="true" />
                          </button>
                        ) : null}
                      </>
                    )}
                  </div>
                )
              })}
            </div>
          )
        })}
      </div>
    </div>
  )
}
