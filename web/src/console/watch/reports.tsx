import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { api } from '../lib/api'
import { count, milliseconds } from '../lib/format'
import { TimeChart } from '../parts/chart'
import { SelectField } from '../parts/field'
import { Page } from '../parts/page'
import { Loaded } from '../parts/states'

type Points = [string, number | null][]

interface Sight {
  series: Record<'requests' | 'errors' | 'p50' | 'p99' | 'connections' | 'cache_hits', Points>
  step: number
}

const spans = [
  { value: '1', label: 'Last hour' },
  { value: '6', label: 'Last 6 hours' },
  { value: '24', label: 'Last day' },
]

export function Reports() {
  const [hours, setHours] = useState('1')
  const sight = useQuery({
    queryKey: ['sight', hours],
    refetchInterval: 60_000,
    queryFn: ({ signal }) => {
      const now = Date.now()
      return api<Sight>(`sight?from=${new Date(now - Number(hours) * 3_600_000).toISOString()}&to=${new Date(now).toISOString()}`, { signal })
    },
  })
  return (
    <Page title="Reports" lead={<>Of all gateways together; kept for a day. <Link to="/activity">Connections, locks, slow queries, disk and lag</Link></>} actions={<SelectField label="Time span" bare value={hours} onChange={(event) => setHours(event.target.value)} options={spans} />}>
      <Loaded result={sight}>
        {({ series, step }) => {
          const perSecond = series.requests.map(([at, value]) => [at, value === null ? null : value / step] as const)
          return (
            <div className="charts">
              <div className="section">
                <TimeChart title="Requests a second" unit={(value) => (value < 10 ? value.toFixed(1) : count(Math.round(value)))} series={[{ name: 'Requests', points: perSecond }]} />
              </div>
              <div className="section">
                <TimeChart title="Errors a minute" unit={(value) => count(Math.round(value))} series={[{ name: 'Errors', points: series.errors }]} />
              </div>
              <div className="section">
                <TimeChart title="Response times" unit={milliseconds} series={[{ name: 'p50', points: series.p50 }, { name: 'p99', points: series.p99 }]} />
              </div>
              <div className="section">
                <TimeChart title="Busy connections to Postgres" unit={(value) => count(Math.round(value))} series={[{ name: 'Connections', points: series.connections }]} />
              </div>
              <div className="section">
                <TimeChart title="Cache hit rate of the gateway" unit={(value) => `${(value * 100).toFixed(1)} %`} series={[{ name: 'Cache hits', points: series.cache_hits }]} />
              </div>
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}
