import { Suspense, lazy, useId, useMemo, useState } from 'react'

export interface Series {
  name: string
  points: readonly (readonly [number | string, number | null])[]
}

/** The library comes when the first chart is drawn. */
const Plot = lazy(async () => ({ default: (await import('./plot')).Plot }))

function time(value: number | string): number {
  return typeof value === 'number' ? (value < 1e12 ? value * 1000 : value) : new Date(value).getTime()
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Columns for a chart: times in seconds, and a row of values for each series. */
export function aligned(series: readonly Series[], everyMinute: boolean): [number[], ...(number | null)[][]] {
  const rows = new Map<number, (number | null)[]>()
  for (const [index, { points }] of series.entries()) {
    for (const [at, value] of points) {
      const second = Math.round(time(at) / 1000)
      const row = rows.get(second) ?? series.map(() => null)
      row[index] = value
      rows.set(second, row)
    }
  }
  const times = [...rows.keys()].sort((a, b) => a - b)
  // What is told only where something happened was nothing in the minutes between, or was not measured there.
  for (const [index, second] of times.entries()) {
    if (everyMinute) {
      for (const beside of [second - 60, second + 60]) if (!rows.has(beside)) rows.set(beside, series.map(() => 0))
    } else if ((times[index + 1] ?? second) - second > 150) rows.set(second + 60, series.map(() => null))
  }
  times.splice(0, times.length, ...[...rows.keys()].sort((a, b) => a - b))
  return [times, ...series.map((_, index) => times.map((second) => rows.get(second)?.[index] ?? null))]
}

/** Lines over time. The same figures stand in a table for whoever does not see the picture. */
export function TimeChart({ title, series, unit, zeros = false }: { title: string; series: readonly Series[]; unit: (value: number) => string; zeros?: boolean }) {
  const id = useId()
  const [table, setTable] = useState(false)
  const data = useMemo(() => aligned(series, zeros), [series, zeros])
  const times = data[0]
  const measured = series.flatMap(({ points }) => points.flatMap((point) => (point[1] === null ? [] : [point[1]])))
  const from = clock.format((times[0] ?? 0) * 1000)
  const to = clock.format((times.at(-1) ?? 0) * 1000)
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
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
      {measured.length === 0 ? (
        <p className="muted plot">Nothing was measured yet.</p>
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
              {times.map((second, row) => (
                <tr key={second}>
                  <td>{clock.format(second * 1000)}</td>
                  {series.map((one, index) => {
                    const value = data[index + 1]?.[row]
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
        <Suspense fallback={<div className="plot" />}>
          <Plot label={`${title}, from ${from} to ${to}, at most ${unit(Math.max(...measured))}`} names={series.map((one) => one.name)} data={data} unit={unit} />
        </Suspense>
      )}
    </figure>
  )
}
