import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { api } from '../lib/api'
import { useSession } from '../lib/session'
import { CheckField, SearchField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Facts, Page, Section } from '../parts/page'
import { Empty, Loaded } from '../parts/states'
import { Accounts } from './accounts'

interface Setting {
  name: string
  group: string
  /** Null of a secret. */
  value: string | null
  default: string | null
  set: boolean
  from: 'default' | 'environment' | 'start'
  help: string
}

/** What the gateway is set to. It is set where it starts: by its environment, a file, or the project's config.toml. */
export function Settings() {
  const session = useSession()
  const [text, setText] = useState('')
  const [changed, setChanged] = useState(false)
  const settings = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => api<{ settings: Setting[] }>('settings', { signal }) })
  const wanted = text.toLowerCase()
  return (
    <Page title="Settings" lead="Set by the environment, .gateway.toml or the project's config.toml; read at the start. Secrets are never shown.">
      <Section title="Project">
        <Facts
          facts={[
            ['Name', session.project],
            ['Version', session.version],
            ['API URL', <code key="u">{session.api_url}</code>],
            ['Services', session.services.join(', ')],
            ['Signed in as', session.account],
            ['Keys', <Link key="k" to="/keys">API keys</Link>],
          ]}
        />
      </Section>
      <Accounts />
      <div className="row">
        <div className="grow">
          <SearchField label="Search settings" value={text} onChange={setText} />
        </div>
        <CheckField label="Only those that were set" checked={changed} onChange={(event) => setChanged(event.target.checked)} />
      </div>
      <Loaded result={settings}>
        {({ settings: all }) => {
          const rows = all.filter((row) => (!changed || row.set) && `${row.name} ${row.help} ${row.group}`.toLowerCase().includes(wanted))
          const groups = [...new Set(rows.map((row) => row.group))]
          if (groups.length === 0) return <Empty title="No setting has these words." />
          return groups.map((group) => (
            <Section key={group} title={group}>
              <List
                label={group}
                rows={rows.filter((row) => row.group === group)}
                id={(row) => row.name}
                empty=""
                columns={[
                  { name: 'Setting', cell: (row) => <code className="break">{row.name}</code> },
                  { name: 'Value', cell: (row) => (row.value === null ? <Badge tone={row.set ? 'good' : 'calm'}>{row.set ? 'set, hidden' : 'not set'}</Badge> : <code className="break">{row.value === '' ? '–' : row.value}</code>) },
                  { name: 'From', wide: true, cell: (row) => (row.from === 'default' ? <span className="muted">default</span> : <Badge>{row.from}</Badge>) },
                  { name: 'What it does', cell: (row) => row.help },
                ]}
              />
            </Section>
          ))
        }}
      </Loaded>
    </Page>
  )
}
