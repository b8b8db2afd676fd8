import { useId, useState } from 'react'

export interface Series {
  name: string
  points: readonly (readonly [number | string, number | null])[]
}

const WIDTH = 480
const HEIGHT = 150
const LEFT = 48
const BOTTOM = 22

function time(value: number | string): number {
  return typeof value === 'number' ? (value < 1e12 ? value * 1000 : value) : new Date(value).getTime()
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Lines over time. The same figures stand in a table for whoever does not see the picture. */
export function TimeChart({ title, series, unit }: { title: string; series: readonly Series[]; unit: (value: number) => string }) {
  const id = useId()
  const [table, setTable] = useState(false)
  const all = series.flatMap(({ points }) => points.filter((point) => point[1] !== null))
  const times = all.map(([at]) => time(at))
  const from = Math.min(...times)
  const to = Math.max(...times)
  const top = Math.max(1e-9, ...all.map(([, value]) => value ?? 0)) * 1.1
  const x = (at: number | string) => LEFT + ((time(at) - from) / Math.max(1, to - from)) * (WIDTH - LEFT - 8)
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - 8)
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <span>{title}</span>
        <span className="legend">
          {series.length > 1
            ? series.map((one, index) => (
                <span key={one.name} className={`line-${index}`}>
                  {one.name}
                </span>
              ))
            : null}
        </span>
        <button type="button" className="link" aria-pressed={table} onClick={() => setTable(!table)}>
          {table ? 'Show chart' : 'Show table'}
        </button>
      </figcaption>
      {all.length === 0 ? (
        <p className="muted">Nothing was measured yet.</p>
      ) : table ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className="chart-table" tabIndex={0} role="group" aria-label={`${title}, table`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map((one) => (
                  <th key={one.name} scope="col" className="end">
                    {one.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(series[0]?.points ?? []).map(([at], row) => (
                <tr key={String(at)}>
                  <td>{clock.format(time(at))}</td>
                  {series.map((one) => {
                    const value = one.points[row]?.[1]
                    return (
                      <td key={one.name} className="end">
                        {value === null || value === undefined ? '–' : unit(value)}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}, from ${clock.format(from)} to ${clock.format(to)}, at most ${unit(top / 1.1)}`}>
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line x1={LEFT} x2={WIDTH - 8} y1={y((top / 1.1) * part)} y2={y((top / 1.1) * part)} className="rule" />
              <text x={LEFT - 6} y={y((top / 1.1) * part) + 4} textAnchor="end">
                {unit((top / 1.1) * part)}
              </text>
            </g>
          ))}
          {[0, 0.5, 1].map((part) => (
            <text key={part} x={LEFT + part * (WIDTH - LEFT - 8)} y={HEIGHT - 4} textAnchor={part === 0 ? 'start' : part === 1 ? 'end' : 'middle'}>
              {clock.format(from + (to - from) * part)}
            </text>
          ))}
          {series.map((one, index) => (
            <path key={one.name} className={`curve line-${index}`} d={path(one, x, y)} />
          ))}
        </svg>
      )}
    </figure>
  )
}

/** Gaps stay gaps: a minute without a measurement is no zero. */
export function path(series: Series, x: (at: number | string) => number, y: (value: number) => number): string {
  let pen = false
  return series.points
    .map(([at, value]) => {
      if (value === null) {
        pen = false
        return ''
      }
      const step = `${pen ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
      pen = true
      return step
    })
    .join('')
}
