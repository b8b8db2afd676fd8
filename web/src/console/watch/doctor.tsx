import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { api } from '../lib/api'
import { Button, CopyButton } from '../parts/button'
import { Badge, Page } from '../parts/page'
import { Loaded } from '../parts/states'

interface Finding {
  level: string
  title: string
  text: string
  fix: string | null
}

const rank = ['error', 'fault', 'bad', 'warning', 'warn', 'info', 'ok', 'good']
const tone = (level: string) => (/err|fault|bad/.test(level) ? 'bad' : /warn/.test(level) ? 'warn' : /ok|good/.test(level) ? 'good' : 'calm')

export function Doctor() {
  const doctor = useQuery({ queryKey: ['doctor'], queryFn: ({ signal }) => api<Finding[]>('doctor', { signal }), staleTime: 60_000 })
  return (
    <Page
      title="Doctor"
      lead="What is set well, what is not, and what to do"
      actions={
        <Button busy={doctor.isFetching} icon={<RotateCw aria-hidden="true" />} onClick={() => void doctor.refetch()}>
          Run again
        </Button>
      }
    >
      <Loaded result={doctor} what="Looking at everything">
        {(findings) => (
          <ul className="stack" aria-label="Findings">
            {findings
              .toSorted((a, b) => rank.indexOf(a.level) - rank.indexOf(b.level))
              .map((finding) => (
                <li key={finding.title + finding.text} className={`note ${tone(finding.level) === 'bad' ? 'bad' : tone(finding.level) === 'good' ? 'good' : ''}`}>
                  <p>
                    <Badge tone={tone(finding.level)}>{finding.level}</Badge> <strong>{finding.title}</strong>
                  </p>
                  <p className="break">{finding.text}</p>
                  {finding.fix ? (
                    <p className="break">
                      {finding.fix} <CopyButton text={finding.fix} label="Copy advice" />
                    </p>
                  ) : null}
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </Page>
  )
}
