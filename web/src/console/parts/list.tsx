import { type ReactNode, useState } from 'react'
import { Button } from './button'
import { Empty } from './states'

/** Rows that are drawn at once. */
const AT_ONCE = 200

export interface ListColumn<T> {
  name: string
  cell: (row: T) => ReactNode
  /** Numbers stand at the right. */
  end?: boolean
  /** Left out where the window is narrow. */
  wide?: boolean
}

interface ListProps<T> {
  label: string
  rows: readonly T[]
  columns: readonly ListColumn<T>[]
  id: (row: T) => string
  /** Buttons of one row. */
  actions?: (row: T) => ReactNode
  empty: ReactNode
}

/** A plain table for what is listed by tens; rows by thousands stand in the grid. */
export function List<T>({ label, rows: all, columns, id, actions, empty }: ListProps<T>) {
  const [most, setMost] = useState(AT_ONCE)
  const rows = all.slice(0, most)
  if (rows.length === 0) return typeof empty === 'string' ? <Empty title={empty} /> : empty
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="list" tabIndex={0} role="group" aria-label={label}>
      <table>
        <caption className="unseen">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={`${column.end ? 'end' : ''} ${column.wide ? 'wide-only' : ''}`}>
                {column.name}
              </th>
            ))}
            {actions ? (
              <th scope="col">
                <span className="unseen">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>
              {columns.map((column) => (
                <td key={column.name} className={`${column.end ? 'end' : ''} ${column.wide ? 'wide-only' : ''}`}>
                  {column.cell(row)}
                </td>
              ))}
              {actions ? <td className="row-actions">{actions(row)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > rows.length ? (
        <p className="row more">
          <span className="grow">
            {rows.length} of {all.length} are shown
          </span>
          <Button onClick={() => setMost(most * 5)}>Show more</Button>
        </p>
      ) : null}
    </div>
  )
}
