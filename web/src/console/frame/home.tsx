import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api } from '../lib/api'
import { useCatalog } from '../lib/catalog'
import { count } from '../lib/format'
import { useSession } from '../lib/session'
import { CopyButton } from '../parts/button'
import { Badge, Code, Facts, Page, Section } from '../parts/page'
import { Loaded } from '../parts/states'

interface Finding {
  level: string
  title: string
}

export function Home() {
  const session = useSession()
  const catalog = useCatalog()
  const doctor = useQuery({ queryKey: ['doctor'], queryFn: ({ signal }) => api<Finding[]>('doctor', { signal }), staleTime: 60_000 })
  const snippet = `import { createClient } from '@supabase/supabase-js'\n\nconst supabase = createClient('${session.api_url}', '${session.publishable_key ?? 'PUBLISHABLE_KEY'}')`
  return (
    <Page title={session.project} lead={`Version ${session.version}, signed in as ${session.account}`}>
      <div className="columns">
        <Section title="Connect">
          <Facts
            facts={[
              ['API address', <code key="url">{session.api_url}</code>],
              ['Publishable key', <code key="key">{session.publishable_key ?? 'none'}</code>],
            ]}
          />
          <div className="row">
            <CopyButton text={session.api_url} label="Copy address" />
            {session.publishable_key ? <CopyButton text={session.publishable_key} label="Copy publishable key" /> : null}
            <CopyButton text={snippet} label="Copy JavaScript" />
          </div>
          <Code label="Connect with JavaScript">{snippet}</Code>
        </Section>
        <Section title="What is here">
          <Loaded result={catalog}>
            {(data) => {
              const own = data.tables.filter((table) => !data.schemas.find((schema) => schema.name === table.schema)?.platform)
              const open = own.filter((table) => table.kind === 'table' && !table.rls)
              return (
                <>
                  <Facts
                    facts={[
                      ['Tables', <Link key="t" to="/tables">{count(own.filter((table) => table.kind.includes('table')).length)}</Link>],
                      ['Views', count(own.filter((table) => table.kind.includes('view')).length)],
                      ['Without row level security', <Link key="p" to="/schema?tab=policies">{count(open.length)}</Link>],
                      ['Services', session.services.join(', ')],
                    ]}
                  />
                </>
              )
            }}
          </Loaded>
        </Section>
        <Section title="Doctor" actions={<Link to="/doctor">Open doctor</Link>}>
          <Loaded result={doctor}>
            {(findings) => {
              const bad = findings.filter((finding) => !['ok', 'info'].includes(finding.level))
              return bad.length === 0 ? (
                <p>Nothing is wrong.</p>
              ) : (
                <ul className="stack">
                  {bad.slice(0, 5).map((finding) => (
                    <li key={finding.title}>
                      <Badge tone={finding.level === 'warning' ? 'warn' : 'bad'}>{finding.level}</Badge> {finding.title}
                    </li>
                  ))}
                </ul>
              )
            }}
          </Loaded>
        </Section>
      </div>
    </Page>
  )
}
