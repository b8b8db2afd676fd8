import { type PointerEvent, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Table } from '../lib/catalog'
import { shortType } from '../lib/format'
import { Button } from '../parts/button'
import { Empty } from '../parts/states'
import { tablePath } from '../tables/address'
import { COLUMNS, HEAD, LINE, type Spot, WIDTH, heightOf, place } from './layout'

const DRAWN_AT_MOST = 150

/** Tables and what points where. The picture moves by mouse and by keys; a table moves by itself too. */
export function Diagram({ tables }: { tables: readonly Table[] }) {
  const navigate = useNavigate()
  const drawn = useMemo(() => tables.filter((table) => table.kind.includes('table')).slice(0, DRAWN_AT_MOST), [tables])
  const start = useMemo(() => place(drawn), [drawn])
  const [moved, setMoved] = useState<ReadonlyMap<string, Spot>>(new Map())
  const [view, setView] = useState({ x: 0, y: 0, scale: 1 })
  const drag = useRef<{ name: string | null; x: number; y: number; from: Spot } | null>(null)
  const spot = (name: string): Spot => moved.get(name) ?? start.get(name) ?? { x: 0, y: 0 }
  const zoom = (factor: number) => setView({ ...view, scale: Math.min(2, Math.max(0.2, view.scale * factor)) })
  const shift = (name: string, x: number, y: number) => setMoved(new Map(moved).set(name, { x, y }))
  if (drawn.length === 0) return <Empty title="No tables to draw in this schema." />

  const down = (event: PointerEvent, name: string | null) => {
    event.stopPropagation()
    drag.current = { name, x: event.clientX, y: event.clientY, from: name ? spot(name) : { x: view.x, y: view.y } }
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const move = (event: PointerEvent) => {
    const now = drag.current
    if (!now) return
    const x = event.clientX - now.x
    const y = event.clientY - now.y
    if (now.name) shift(now.name, now.from.x + x / view.scale, now.from.y + y / view.scale)
    else setView({ ...view, x: now.from.x + x, y: now.from.y + y })
  }
  const up = () => {
    drag.current = null
  }
  return (
    <div className="stack">
      <div className="row">
        <Button onClick={() => zoom(1.25)}>Zoom in</Button>
        <Button onClick={() => zoom(0.8)}>Zoom out</Button>
        <Button
          onClick={() => {
            setView({ x: 0, y: 0, scale: 1 })
            setMoved(new Map())
          }}
        >
          Reset
        </Button>
        <span className="muted">Tab goes from table to table, the arrows move it, Enter opens it.{tables.length > DRAWN_AT_MOST ? ` The first ${DRAWN_AT_MOST} tables are drawn.` : ''}</span>
      </div>
      <div className="diagram" onPointerDown={(event) => down(event, null)} onPointerMove={move} onPointerUp={up} onWheel={(event) => zoom(event.deltaY < 0 ? 1.1 : 0.9)}>
        <svg role="group" aria-label="Diagram of tables">
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            {drawn.flatMap((table) =>
              table.foreign_keys
                .filter((key) => start.has(key.table) && key.schema === table.schema)
                .map((key) => {
                  const from = spot(table.name)
                  const to = spot(key.table)
                  const row = Math.min(COLUMNS, Math.max(0, table.columns.findIndex((column) => column.name === key.columns[0])))
                  const y1 = from.y + HEAD + row * LINE + LINE / 2
                  const y2 = to.y + HEAD / 2
                  const right = from.x < to.x
                  const x1 = right ? from.x + WIDTH : from.x
                  const x2 = right ? to.x : to.x + WIDTH
                  const bend = right ? 45 : -45
                  return <path key={`${table.name}.${key.name}`} className="edge" d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} />
                }),
            )}
            {drawn.map((table) => {
              const { x, y } = spot(table.name)
              const points = table.foreign_keys.map((key) => key.table)
              const height = heightOf(table)
              return (
                // A group and no button: its name would have to hold all that is drawn in it.
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions
                <g
                  key={table.name}
                  className="node"
                  role="group"
                  tabIndex={0}
                  aria-label={`Table ${table.name}, ${table.columns.length} columns${points.length > 0 ? `, points to ${points.join(', ')}` : ''}`}
                  transform={`translate(${x} ${y})`}
                  onPointerDown={(event) => down(event, table.name)}
                  onPointerMove={move}
                  onPointerUp={up}
                  onDoubleClick={() => void navigate(tablePath(table.schema, table.name))}
                  onKeyDown={(event) => {
                    const step = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] }[event.key]
                    if (step) shift(table.name, x + (step[0] ?? 0), y + (step[1] ?? 0))
                    else if (event.key === 'Enter') void navigate(tablePath(table.schema, table.name))
                    else return
                    event.preventDefault()
                  }}
                >
                  {/* The name above says it all to a reader. */}
                  <g aria-hidden="true">
                  <rect className="box" width={WIDTH} height={height} rx={6} />
                  <rect className="head" x={1} y={1} width={WIDTH - 2} height={HEAD - 2} rx={5} />
                  <text className="title" x={10} y={18}>
                    {table.name.slice(0, 28)}
                  </text>
                  {table.columns.slice(0, COLUMNS).map((column, index) => (
                    <g key={column.name}>
                      <text x={10} y={HEAD + index * LINE + 14}>
                        {table.primary_key.includes(column.name) ? '• ' : ''}
                        {column.name.slice(0, 18)}
                      </text>
                      <text className="soft" x={WIDTH - 10} y={HEAD + index * LINE + 14} textAnchor="end">
                        {shortType(column.type).slice(0, 13)}
                      </text>
                    </g>
                  ))}
                  {table.columns.length > COLUMNS ? (
                    <text className="soft" x={10} y={HEAD + COLUMNS * LINE + 14}>
                      and {table.columns.length - COLUMNS} more
                    </text>
                  ) : null}
                  </g>
                </g>
              )
            })}
          </g>
        </svg>
      </div>
    </div>
  )
}
