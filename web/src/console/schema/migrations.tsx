import { useQuery } from '@tanstack/react-query'
import { api, isRecord } from '../lib/api'
import { moment, plain } from '../lib/format'
import { List } from '../parts/list'
import { Badge, Page, Section } from '../parts/page'
import { Loaded } from '../parts/states'

/** The ledger and the files, as lists, whatever else an entry carries. */
export function Migrations() {
  const found = useQuery({ queryKey: ['migrations'], queryFn: ({ signal }) => api<unknown>('migrations', { signal }) })
  return (
    <Page title="Migrations" lead="What ran, and what lies in the folder">
      <Loaded result={found}>
        {(answer) => (
          <>
            {Object.entries(isRecord(answer) ? answer : { migrations: answer })
              .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
              .map(([name, rows]) => (
                <Section key={name} title={`${name.charAt(0).toUpperCase()}${name.slice(1)}`}>
                  <List
                    label={name}
                    rows={rows.map((row) => (isRecord(row) ? row : { name: row }))}
                    id={(row) => `${plain(row.version ?? '')}${plain(row.name ?? row.file ?? '')}`}
                    empty="None."
                    columns={[
                      { name: 'Version', cell: (row) => plain(row.version) },
                      { name: 'Name', cell: (row) => plain(row.name ?? row.file) },
                      { name: 'State', cell: (row) => (row.ran === false || row.applied === false ? <Badge tone="warn">waits</Badge> : <Badge tone="good">ran</Badge>) },
                      { name: 'When', cell: (row) => moment(row.applied_at ?? row.at ?? row.created_at) },
                    ]}
                  />
                </Section>
              ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}
