import { useState } from 'react'
import { count, download, milliseconds } from '../lib/format'
import { Button } from '../parts/button'
import { SelectField } from '../parts/field'
import { Grid } from '../parts/grid'
import { Badge, Tabs } from '../parts/page'

export interface SqlResult {
  columns: { name: string; type: string }[]
  rows: (string | null)[][]
  command: string
  truncated: boolean
  /** Row, column and whole length of values that were too long to send. */
  cut?: [number, number, number][]
}

export interface SqlAnswer {
  results: SqlResult[]
  ms: number
  notices: (string | { severity?: string; message: string })[]
}

export function toCsv(result: SqlResult): string {
  const cell = (text: string | null) => (text === null ? '' : text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [result.columns.map((column) => cell(column.name)), ...result.rows.map((row) => row.map(cell))].map((line) => line.join(',')).join('\r\n')
}

const isNumber = (type: string) => /^(int|bigint|smallint|integer|numeric|real|double|float|oid)/.test(type)

export function Results({ answer }: { answer: SqlAnswer }) {
  const [at, setAt] = useState('0')
  const chosen = answer.results[Number(at)] ?? answer.results[0]
  return (
    <section aria-label="Results" className="stack">
      <p role="status" className="muted">
        {answer.results.map((result) => result.command).join(', ') || 'Done'} in {milliseconds(answer.ms)}
      </p>
      {answer.notices.length > 0 ? (
        <ul className="note" aria-label="Notices">
          {answer.notices.map((notice, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>{typeof notice === 'string' ? notice : notice.message}</li>
          ))}
        </ul>
      ) : null}
      {answer.results.length > 1 ? (
        <Tabs label="Statements" tabs={answer.results.map((result, index) => ({ id: String(index), label: `${index + 1}. ${result.command}` }))} current={at} onChange={setAt}>
          {chosen ? <One result={chosen} /> : null}
        </Tabs>
      ) : chosen ? (
        <One result={chosen} />
      ) : null}
    </section>
  )
}

function One({ result }: { result: SqlResult }) {
  const [shape, setShape] = useState('grid')
  if (result.columns.length === 0) return <p>{result.command}: no rows come with it.</p>
  return (
    <Tabs
      label="Shape"
      tabs={[
        { id: 'grid', label: 'Grid' },
        { id: 'chart', label: 'Chart' },
      ]}
      current={shape}
      onChange={setShape}
    >
      <div className="row">
        <span className="grow">
          {count(result.rows.length)} {result.rows.length === 1 ? 'row' : 'rows'} {result.truncated ? <Badge tone="warn">Cut off: there are more rows than the limit</Badge> : null} {result.cut?.length ? <Badge tone="warn">{`${result.cut.length} values are cut to 100 kB`}</Badge> : null}
        </span>
        <Button onClick={() => download('result.csv', toCsv(result), 'text/csv')}>Download CSV</Button>
        <Button onClick={() => download('result.json', JSON.stringify(result.rows.map((row) => Object.fromEntries(result.columns.map((column, index) => [column.name, row[index]]))), null, 2), 'application/json')}>Download JSON</Button>
      </div>
      {shape === 'grid' ? (
        <div style={{ display: 'grid', height: `${Math.min(28, result.rows.length * 2 + 3.2)}rem` }}>
          <Grid
            label="Result"
            columns={result.columns.map((column) => ({ ...column, number: isNumber(column.type) }))}
            rowCount={result.rows.length}
            total={result.rows.length}
            cell={(row, column) => {
              const text = result.rows[row]?.[column] ?? null
              return { text, state: text === null ? 'NULL' : text === '' ? 'EMPTY' : undefined }
            }}
          />
        </div>
      ) : (
        <BarChart result={result} />
      )}
    </Tabs>
  )
}

/** Bars of one column of numbers over another; the grid beside it has the figures. */
function BarChart({ result }: { result: SqlResult }) {
  const numbers = result.columns.filter((column, index) => isNumber(column.type) || result.rows.some((row) => row[index] !== null && row[index] !== '' && !Number.isNaN(Number(row[index]))))
  const [name, setName] = useState(result.columns[0]?.name ?? '')
  const [value, setValue] = useState((numbers.find((column) => column.name !== name) ?? numbers[0])?.name ?? '')
  if (numbers.length === 0) return <p>No column holds numbers.</p>
  const x = result.columns.findIndex((column) => column.name === name)
  const y = result.columns.findIndex((column) => column.name === value)
  const bars = result.rows.slice(0, 200).map((row) => ({ name: row[x] ?? 'NULL', value: Number(row[y] ?? 0) || 0 }))
  const top = Math.max(1e-9, ...bars.map((bar) => Math.abs(bar.value)))
  const step = Math.min(90, 640 / Math.max(1, bars.length))
  return (
    <div className="stack">
      <div className="columns">
        <SelectField label="Names" value={name} onChange={(event) => setName(event.target.value)} options={result.columns.map((column) => column.name)} />
        <SelectField label="Values" value={value} onChange={(event) => setValue(event.target.value)} options={numbers.map((column) => column.name)} />
      </div>
      <figure className="chart">
        <svg viewBox="0 0 640 220" role="img" aria-label={`${value} by ${name}: ${bars.length} bars, the largest ${top}`}>
          {bars.map((bar, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <g key={index}>
              <rect className="bar" x={index * step + step * 0.1} width={step * 0.8} y={190 - (Math.abs(bar.value) / top) * 180} height={(Math.abs(bar.value) / top) * 180}>
                <title>{`${bar.name}: ${bar.value}`}</title>
              </rect>
              {step > 34 ? (
                <text x={index * step + step / 2} y={206} textAnchor="middle">
                  {bar.name.slice(0, Math.floor(step / 7))}
                </text>
              ) : null}
            </g>
          ))}
        </svg>
        {result.rows.length > 200 ? <p className="muted">The first 200 rows are drawn.</p> : null}
      </figure>
    </div>
  )
}
