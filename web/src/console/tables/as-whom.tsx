import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, contract, query } from '../lib/api'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { SearchField, SelectField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Code } from '../parts/page'
import { Loaded } from '../parts/states'

export interface Person {
  id: string
  email?: string | null
  phone?: string | null
}

/** Searching is the server's; a person is found by a part of the address. */
export function usePeople(text: string, page = 1, perPage = 50) {
  return useQuery({
    queryKey: ['people', text, page, perPage],
    queryFn: ({ signal }) => contract<{ users: Person[]; total?: number }>(`auth/v1/admin/users${query({ page, per_page: perPage, filter: text })}`, { signal }),
    placeholderData: (before) => before,
  })
}

/** Rows as the service sees them, as nobody, or as somebody. */
export function AsWhom({ as, onChange }: { as: string; onChange: (as: string) => void }) {
  const [asking, setAsking] = useState(false)
  const person = as.startsWith('user:') ? as.slice(5) : ''
  const known = useQuery({ queryKey: ['people', person], queryFn: ({ signal }) => contract<Person>(`auth/v1/admin/users/${person}`, { signal }), enabled: person !== '', staleTime: 60_000 })
  return (
    <>
      <SelectField
        label="View as"
        bare
        title="View as"
        value={as}
        onChange={(event) => (event.target.value === 'choose' ? setAsking(true) : onChange(event.target.value))}
        options={[
          { value: 'service', label: 'As service role' },
          { value: 'anon', label: 'As anonymous' },
          ...(person === '' ? [] : [{ value: as, label: `As ${known.data?.email ?? person}` }]),
          { value: 'choose', label: 'As a user…' },
        ]}
      />
      {asking ? (
        <PersonDialog
          onClose={() => setAsking(false)}
          onChoose={(id) => {
            setAsking(false)
            onChange(`user:${id}`)
          }}
        />
      ) : null}
    </>
  )
}

export function PersonDialog({ onChoose, onClose }: { onChoose: (id: string) => void; onClose: () => void }) {
  const [text, setText] = useState('')
  const people = usePeople(text)
  return (
    <Dialog title="View as a user" onClose={onClose}>
      <SearchField label="Search users by email" value={text} onChange={setText} />
      <Loaded result={people}>
        {(data) => (
          <List
            label="Users"
            rows={data.users}
            id={(user) => user.id}
            empty="Nobody has such an address."
            columns={[{ name: 'Email', cell: (user) => user.email || user.phone || user.id }]}
            actions={(user) => <Button onClick={() => onChoose(user.id)} aria-label={`View as ${user.email || user.id}`}>View as</Button>}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

interface Finding {
  kind: string
  ok: boolean
  text: string
  sql?: string | null
}

/** What a request passes, one behind the other. */
const steps = [
  { kind: 'grant', title: '1. Grants', lead: 'May the role touch the table at all?' },
  { kind: 'policy', title: '2. Policies', lead: 'Which rows does row level security let through?' },
  { kind: 'row', title: '3. Outcome', lead: 'What came of it, and what would change it.' },
] as const

/** Why somebody is refused or sees fewer rows: grants, policies, rows. */
export function Why({ schema, table, as, onClose }: { schema: string; table: string; as: string; onClose: () => void }) {
  const [command, setCommand] = useState('select')
  const why = useQuery({
    queryKey: ['why', schema, table, as, command],
    queryFn: ({ signal }) => api<{ findings: Finding[] }>('rows/why', { method: 'POST', body: { schema, table, as, command }, signal }),
    gcTime: 0,
  })
  return (
    <Dialog title={`Why: ${schema}.${table}`} wide onClose={onClose}>
      <SelectField label="Command" value={command} onChange={(event) => setCommand(event.target.value)} options={['select', 'insert', 'update', 'delete']} />
      <Loaded result={why} what="Asking the database">
        {({ findings }) => (
          <ol className="why" aria-label="Findings">
            {steps.flatMap(({ kind, title, lead }) => {
              const here = findings.filter((finding) => finding.kind === kind)
              const passes = here.every((finding) => finding.ok) || (kind === 'policy' && here.some((finding) => finding.ok))
              return here.length === 0
                ? []
                : [
                    <li key={kind} className={passes ? 'good' : 'bad'}>
                      <h3>
                        {title} <Badge tone={passes ? 'good' : 'bad'}>{passes ? 'passes' : 'refused'}</Badge>
                      </h3>
                      <p className="muted">{lead}</p>
                      {here.map((finding) => (
                        <div key={finding.text} className={`note ${finding.ok ? 'good' : 'bad'}`}>
                          <p>
                            {finding.ok ? '✓' : '✗'} {finding.text}
                          </p>
                          {finding.sql ? <Code label={`SQL of ${finding.kind}`}>{finding.sql}</Code> : null}
                        </div>
                      ))}
                    </li>,
                  ]
            })}
          </ol>
        )}
      </Loaded>
    </Dialog>
  )
}
