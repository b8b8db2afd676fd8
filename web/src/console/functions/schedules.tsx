import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api } from '../lib/api'
import { moment, plain } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { List } from '../parts/list'
import { Badge, Page } from '../parts/page'
import { Loaded } from '../parts/states'

interface Schedule {
  function: string
  schedule: string
  paused?: boolean
  last?: string | null
  state?: string | null
  next?: string | null
}

export function Schedules() {
  const session = useSession()
  const { act, busy } = useAct('schedules')
  const schedules = useQuery({ queryKey: ['schedules'], queryFn: ({ signal }) => api<Schedule[]>('schedules', { signal }), refetchInterval: 10_000 })
  const steer = (row: Schedule, action: 'run' | 'pause' | 'resume', done: string) => void act(`${action} ${row.function}`, () => api(`schedules/${encodeURIComponent(row.function)}/${action}`, { method: 'POST', body: {} }), done)
  return (
    <Page title="Schedules" lead="Functions that are called by the clock">
      <Loaded result={schedules}>
        {(rows) => (
          <List
            label="Schedules"
            rows={rows}
            id={(row) => `${row.function} ${row.schedule}`}
            empty="No function has a schedule."
            columns={[
              { name: 'Function', cell: (row) => <Link to={`/functions/${encodeURIComponent(row.function)}`}>{row.function}</Link> },
              { name: 'Schedule', cell: (row) => <code>{row.schedule}</code> },
              { name: 'Last run', cell: (row) => moment(row.last) },
              { name: 'State', cell: (row) => (row.paused ? <Badge tone="warn">paused</Badge> : plain(row.state)) },
            ]}
            actions={(row) => (
              <>
                <Button disabled={session.read_only || busy !== ''} aria-label={`Run now: ${row.function}`} onClick={() => steer(row, 'run', 'It runs')}>
                  Run now
                </Button>{' '}
                {row.paused ? (
                  <Button disabled={session.read_only || busy !== ''} aria-label={`Resume ${row.function}`} onClick={() => steer(row, 'resume', 'Resumed')}>
                    Resume
                  </Button>
                ) : (
                  <Button disabled={session.read_only || busy !== ''} aria-label={`Pause ${row.function}`} onClick={() => steer(row, 'pause', 'Paused')}>
                    Pause
                  </Button>
                )}
              </>
            )}
          />
        )}
      </Loaded>
    </Page>
  )
}
