import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, query } from '../lib/api'
import { count, moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm } from '../parts/dialog'
import { SelectField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page } from '../parts/page'
import { Loaded } from '../parts/states'

interface Job {
  id: number
  queue: string
  task: string
  state: string
  attempts: number
  scheduled_at: string | null
  queued_at: string | null
  about: string | null
  reason: string | null
}

const states = ['waiting', 'running', 'done', 'dead']

export function Jobs() {
  const session = useSession()
  const [state, setState] = useState('')
  const [before, setBefore] = useState<number | null>(null)
  const [doomed, setDoomed] = useState<Job | null>(null)
  const { act, busy } = useAct('jobs')
  const jobs = useQuery({ queryKey: ['jobs', state, before], queryFn: ({ signal }) => api<{ counts: Record<string, number>; jobs: Job[] }>(`jobs${query({ state, before })}`, { signal }), refetchInterval: 10_000 })
  return (
    <Page title="Jobs" lead="What waits, runs, is done, and what was given up">
      <Loaded result={jobs}>
        {(data) => (
          <>
            <div className="row bottom">
              <SelectField
                label="State"
                value={state}
                onChange={(event) => {
                  setState(event.target.value)
                  setBefore(null)
                }}
                options={[{ value: '', label: 'All' }, ...states.map((one) => ({ value: one, label: `${one === 'dead' ? 'dead letters' : one} (${count(data.counts[one] ?? 0)})` }))]}
              />
            </div>
            <List
              label="Jobs"
              rows={data.jobs}
              id={(job) => String(job.id)}
              empty="No jobs of this state."
              columns={[
                { name: 'Id', end: true, cell: (job) => job.id },
                { name: 'Task', cell: (job) => job.task },
                { name: 'About', cell: (job) => job.about ?? '' },
                { name: 'State', cell: (job) => <Badge tone={job.state === 'dead' ? 'bad' : job.state === 'done' ? 'good' : 'calm'}>{job.state}</Badge> },
                { name: 'Tries', end: true, cell: (job) => job.attempts },
                { name: 'When', wide: true, cell: (job) => moment(job.scheduled_at ?? job.queued_at) },
                { name: 'Reason', cell: (job) => job.reason ?? '' },
              ]}
              actions={(job) => (
                <>
                  <Button disabled={session.read_only || busy !== '' || job.state === 'running' || job.state === 'done'} aria-label={`${job.task === 'mail.send' ? 'Resend' : 'Retry'} job ${job.id}`} onClick={() => void act('Retry', () => api(`jobs/${job.id}/retry`, { method: 'POST', body: {} }), 'It is done again')}>
                    {job.task === 'mail.send' ? 'Resend' : 'Retry'}
                  </Button>{' '}
                  <Button look="danger" disabled={session.read_only || job.state === 'running'} aria-label={`Discard job ${job.id}`} onClick={() => setDoomed(job)}>
                    Discard
                  </Button>
                </>
              )}
            />
            <nav className="row" aria-label="Pages">
              <Button disabled={before === null} onClick={() => setBefore(null)}>
                Newest
              </Button>
              <Button disabled={data.jobs.length < 100} onClick={() => setBefore(data.jobs.at(-1)?.id ?? null)}>
                Older jobs
              </Button>
            </nav>
          </>
        )}
      </Loaded>
      {doomed ? (
        <Confirm
          title="Discard job"
          action="Discard job"
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await api(`jobs/${doomed.id}`, { method: 'DELETE' })
            void act('Discard', async () => undefined, 'Job discarded')
          }}
        >
          <p>
            {doomed.task} {doomed.about ?? ''} is not done any more.
          </p>
        </Confirm>
      ) : null}
    </Page>
  )
}
