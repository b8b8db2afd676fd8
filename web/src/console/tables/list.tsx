import { useVirtualizer } from '@tanstack/react-virtual'
import { Pin, PinOff, RotateCw } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { Catalog, Table } from '../lib/catalog'
import { orderedSchemas } from '../lib/catalog'
import { count } from '../lib/format'
import { useRecordsAlone } from '../lib/session'
import { usePreference } from '../lib/store'
import { IconButton } from '../parts/button'
import { SearchField, SelectField } from '../parts/field'
import { Empty } from '../parts/states'
import { tablePath } from './address'

const none: string[] = []

/** Tables by name; what is pinned stands first. Hundreds of them are no trouble: only what is in view is drawn. */
export function TableList({ catalog, schema, onSchema, here, onReload }: { catalog: Catalog; schema: string; onSchema: (schema: string) => void; here?: string; onReload: () => void }) {
  const recordsAlone = useRecordsAlone()
  const [text, setText] = useState('')
  const [pins, setPins] = usePreference<string[]>('pins', none)
  const scroller = useRef<HTMLDivElement>(null)
  const tables = useMemo(() => {
    const wanted = text.toLowerCase()
    const pinned = (table: Table) => pins.includes(`${table.schema}.${table.name}`)
    return catalog.tables
      .filter((table) => table.schema === schema && table.name.toLowerCase().includes(wanted))
      .sort((a, b) => Number(pinned(b)) - Number(pinned(a)) || a.name.localeCompare(b.name))
  }, [catalog, schema, text, pins])
  const rows = useVirtualizer({ count: tables.length, getScrollElement: () => scroller.current, estimateSize: () => 30, overscan: 10, initialRect: { width: 240, height: 700 } })
  return (
    <aside aria-label="Tables">
      <div className="aside-head">
        <SelectField label="Schema" bare value={schema} onChange={(event) => onSchema(event.target.value)} options={orderedSchemas(catalog)} />
        <SearchField label="Search tables" value={text} onChange={setText} />
        <div className="row">
          {recordsAlone ? null : (
            <Link className="button primary grow" to={`/schema?schema=${encodeURIComponent(schema)}&new=table`}>
              New table
            </Link>
          )}
          <IconButton label="Reload the list" onClick={onReload}>
            <RotateCw aria-hidden="true" />
          </IconButton>
        </div>
      </div>
      <div className="names" ref={scroller}>
        {tables.length === 0 ? <Empty title={text === '' ? 'No tables in this schema.' : 'No table is called so.'} /> : null}
        <ul aria-label={`Tables of ${schema}`} style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map((item) => {
            const table = tables[item.index]
            if (!table) return null
            const id = `${table.schema}.${table.name}`
            const pinned = pins.includes(id)
            return (
              <li key={id} className={`name-row ${table.name === here ? 'here' : ''}`} style={{ position: 'absolute', insetInline: 0, height: 30, transform: `translateY(${item.start}px)` }}>
                <Link to={tablePath(table.schema, table.name)} aria-current={table.name === here ? 'page' : undefined} title={table.comment ?? table.name}>
                  {table.name}
                </Link>
                <span className="muted">{table.kind.includes('view') ? 'view' : table.estimate !== null && table.estimate >= 0 ? count(table.estimate) : ''}</span>
                <IconButton label={`${pinned ? 'Unpin' : 'Pin'} ${table.name}`} aria-pressed={pinned} onClick={() => setPins(pinned ? pins.filter((pin) => pin !== id) : [...pins, id])}>
                  {pinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
                </IconButton>
              </li>
            )
          })}
        </ul>
      </div>
    </aside>
  )
}
