import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, query } from '../lib/api'
import type { Catalog, Extension, Routine, Table, TableGrants } from '../lib/catalog'
import { ident } from '../lib/format'
import { Button } from '../parts/button'
import { CheckField, SelectField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Code, Section } from '../parts/page'
import { Empty, Loaded } from '../parts/states'
import type { Open } from './schema'
import { Migrate } from './migrate'
import { enableExtension, grantOrRevoke, privileges, publish, qualified } from './statements'

interface TabProps {
  locked: boolean
  onOpen: (open: Open) => void
}

export function FunctionsTab({ functions, locked, onOpen }: TabProps & { functions: readonly Routine[] }) {
  return (
    <Section
      title="Database functions"
      actions={
        <Button disabled={locked} onClick={() => onOpen({ kind: 'function' })}>
          New function
        </Button>
      }
    >
      {functions.length === 0 ? <Empty title="No functions in this schema." /> : null}
      {functions.map((routine) => (
        <details key={`${routine.name}(${routine.identity})`}>
          <summary>
            <strong>{routine.name}</strong>({routine.arguments}) {routine.kind === 'procedure' ? '' : `returns ${routine.returns}`} <Badge>{routine.language}</Badge> {routine.security_definer ? <Badge tone="warn">security definer</Badge> : null}
          </summary>
          <div className="stack">
            <Code label={`Definition of ${routine.name}`}>{routine.definition}</Code>
            <div className="row">
              <Button disabled={locked || routine.definition === ''} aria-label={`Edit function ${routine.name}`} onClick={() => onOpen({ kind: 'edit-function', routine })}>
                Edit
              </Button>
              <Button look="danger" disabled={locked} aria-label={`Delete function ${routine.name}`} onClick={() => onOpen({ kind: 'statement', title: `Delete function ${routine.name}`, sql: `drop ${routine.kind} ${qualified(routine.schema, routine.name)}(${routine.identity});` })}>
                Delete
              </Button>
            </div>
          </div>
        </details>
      ))}
    </Section>
  )
}

export function EnumsTab({ enums, locked, onOpen }: TabProps & { enums: Catalog['enums'] }) {
  return (
    <Section
      title="Enums"
      actions={
        <Button disabled={locked} onClick={() => onOpen({ kind: 'enum' })}>
          New enum
        </Button>
      }
    >
      <List
        label="Enums"
        rows={enums}
        id={(one) => one.name}
        empty="No enums in this schema."
        columns={[
          { name: 'Name', cell: (one) => one.name },
          { name: 'Values', cell: (one) => one.values.join(', ') },
        ]}
        actions={(one) => (
          <>
            <Button disabled={locked} aria-label={`Edit enum ${one.name}`} onClick={() => onOpen({ kind: 'edit-enum', ...one })}>
              Edit
            </Button>{' '}
            <Button look="danger" disabled={locked} aria-label={`Delete enum ${one.name}`} onClick={() => onOpen({ kind: 'statement', title: `Delete enum ${one.name}`, sql: `drop type ${qualified(one.schema, one.name)};` })}>
              Delete
            </Button>
          </>
        )}
      />
    </Section>
  )
}

/** Where extensions go that say nothing of it, as on hosted projects; some must have a schema of their own. */
const OWN_SCHEMA = new Set(['pg_cron', 'pg_net', 'pgmq', 'supabase_vault', 'plpgsql', 'pgsodium', 'pgtap', 'postgis_tiger_geocoder', 'postgis_topology'])

export function ExtensionsTab({ extensions, wanted, schemas, locked, onOpen }: TabProps & { extensions: readonly Extension[]; wanted: string; schemas: readonly string[] }) {
  const shown = extensions.filter((one) => one.name.toLowerCase().includes(wanted) || (one.comment ?? '').toLowerCase().includes(wanted)).sort((a, b) => Number(b.installed) - Number(a.installed) || a.name.localeCompare(b.name))
  const home = schemas.includes('extensions') ? 'extensions' : ''
  return (
    <Section title="Extensions">
      <List
        label="Extensions"
        rows={shown}
        id={(one) => one.name}
        empty="No extension is called so."
        columns={[
          { name: 'Name', cell: (one) => one.name },
          { name: 'State', cell: (one) => (one.installed ? <Badge tone="good">enabled</Badge> : <Badge>available</Badge>) },
          { name: 'Version', cell: (one) => one.version ?? '' },
          { name: 'Schema', wide: true, cell: (one) => one.schema ?? '' },
          { name: 'What it is', wide: true, cell: (one) => one.comment ?? '' },
        ]}
        actions={(one) =>
          one.installed ? (
            <Button look="danger" disabled={locked || one.name === 'plpgsql'} aria-label={`Disable ${one.name}`} onClick={() => onOpen({ kind: 'statement', title: `Disable extension ${one.name}`, sql: `drop extension ${ident(one.name)};` })}>
              Disable
            </Button>
          ) : (
            <Button disabled={locked} aria-label={`Enable ${one.name}`} onClick={() => onOpen({ kind: 'statement', title: `Enable extension ${one.name}`, sql: enableExtension(one.name, OWN_SCHEMA.has(one.name) ? '' : home) })}>
              Enable
            </Button>
          )
        }
      />
    </Section>
  )
}

/** Which tables send their changes: to realtime, and to whatever else reads a publication. */
export function PublicationsTab({ catalog, tables, locked, onOpen }: TabProps & { catalog: Catalog; tables: readonly Table[] }) {
  const [chosen, setChosen] = useState('supabase_realtime')
  const publication = catalog.publications.find((one) => one.name === chosen) ?? catalog.publications[0]
  if (!publication) return <Empty title="There is no publication in this database." />
  const member = (table: Table) => publication.all_tables || publication.tables.some(([schema, name]) => schema === table.schema && name === table.name)
  return (
    <Section title="Publications">
      <div className="row bottom">
        <SelectField label="Publication" value={publication.name} onChange={(event) => setChosen(event.target.value)} options={catalog.publications.map((one) => one.name)} />
        <p className="muted">
          {publication.all_tables ? 'It has all tables. ' : `${publication.tables.length} tables. `}Sent are {publication.events.join(', ')}.{publication.name === 'supabase_realtime' ? ' Realtime listens to this one.' : ''}
        </p>
      </div>
      <List
        label={`Tables of ${publication.name}`}
        rows={tables.filter((table) => table.kind === 'table' || table.kind === 'partitioned table')}
        id={(table) => table.name}
        empty="No tables in this schema."
        columns={[
          { name: 'Table', cell: (table) => table.name },
          { name: 'Changes are sent', cell: (table) => (member(table) ? <Badge tone="good">yes</Badge> : 'no') },
          { name: 'Row level security', cell: (table) => (table.rls ? 'on' : <Badge tone="warn">off</Badge>) },
        ]}
        actions={(table) => {
          const on = member(table)
          return (
            <Button
              disabled={locked || publication.all_tables}
              aria-label={`${on ? 'Stop sending' : 'Send'} changes of ${table.name}`}
              onClick={() => onOpen({ kind: 'statement', title: `${on ? 'Stop sending' : 'Send'} changes of ${table.name}`, sql: publish(publication.name, table.schema, table.name, !on) })}
            >
              {on ? 'Stop sending' : 'Send changes'}
            </Button>
          )
        }}
      />
    </Section>
  )
}

/** Roles, and what they may do with tables: before any policy is asked. */
export function GrantsTab({ catalog, schema, tables, locked, onOpen }: TabProps & { catalog: Catalog; schema: string; tables: readonly Table[] }) {
  const found = useQuery({ queryKey: ['catalog', 'grants', schema], queryFn: ({ signal }) => api<{ tables: TableGrants[] }>(`grants${query({ schema })}`, { signal }) })
  const [role, setRole] = useState('')
  const names = tables.map((table) => table.name)
  const rowsOf = (answer: TableGrants[]) =>
    answer
      .filter((one) => names.includes(one.table))
      .flatMap((one) => one.grants.map((grant) => ({ table: one.table, owner: one.owner, ...grant, columns: one.columns.filter((column) => column.role === grant.role) })))
      .filter((row) => role === '' || row.role === role)
  return (
    <>
      <Section
        title={`Grants in ${schema}`}
        actions={
          <Button disabled={locked || tables.length === 0} onClick={() => onOpen({ kind: 'grant', table: tables[0]?.name ?? '', role: role || 'authenticated', held: [] })}>
            New grant
          </Button>
        }
      >
        <Loaded result={found}>
          {(answer) => (
            <>
              <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value)} options={[{ value: '', label: 'All roles' }, ...[...new Set(answer.tables.flatMap((one) => one.grants.map((grant) => grant.role)))].sort()]} />
              <List
                label="Grants"
                rows={rowsOf(answer.tables)}
                id={(row) => `${row.table} ${row.role}`}
                empty="Nobody but the owners may use these tables."
                columns={[
                  { name: 'Table', cell: (row) => row.table },
                  { name: 'Role', cell: (row) => row.role },
                  { name: 'May', cell: (row) => row.privileges.join(', ') },
                  { name: 'Of single columns', wide: true, cell: (row) => row.columns.map((column) => `${column.column}: ${column.privileges.join(', ')}`).join('; ') },
                  { name: 'Owner', wide: true, cell: (row) => row.owner },
                ]}
                actions={(row) => (
                  <Button disabled={locked} aria-label={`Change grants of ${row.role} on ${row.table}`} onClick={() => onOpen({ kind: 'grant', table: row.table, role: row.role, held: row.privileges })}>
                    Change
                  </Button>
                )}
              />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Roles">
        <List
          label="Roles"
          rows={catalog.roles}
          id={(one) => one.name}
          empty="No roles are told."
          columns={[
            { name: 'Name', cell: (one) => one.name },
            { name: 'Traits', cell: (one) => [one.superuser ? 'superuser' : '', one.login ? 'logs in' : '', one.bypasses_rls ? 'passes row level security' : '', one.creates_roles ? 'makes roles' : ''].filter(Boolean).join(', ') },
            { name: 'Member of', wide: true, cell: (one) => one.members_of.join(', ') },
          ]}
        />
      </Section>
    </>
  )
}

/** Ticks for what a role may do with a table; what changes is granted and revoked. */
export function GrantForm({ catalog, schema, table, role, held, onClose }: { catalog: Catalog; schema: string; table: string; role: string; held: readonly string[]; onClose: () => void }) {
  const [where, setWhere] = useState(table)
  const [whom, setWhom] = useState(role)
  const [chosen, setChosen] = useState<readonly string[]>(held)
  const granted = chosen.filter((one) => !held.includes(one))
  const revoked = held.filter((one) => !chosen.includes(one) && privileges.includes(one))
  const lines = [revoked.length > 0 ? grantOrRevoke(schema, where, whom, revoked, false) : '', granted.length > 0 ? grantOrRevoke(schema, where, whom, granted, true) : '']
  const fixed = held.length > 0
  return (
    <Migrate title={fixed ? `Grants of ${role} on ${table}` : 'New grant'} sql={lines.filter(Boolean).join('\n') || null} missing="Nothing is changed yet." onClose={onClose}>
      <SelectField label="Table" value={where} disabled={fixed} onChange={(event) => setWhere(event.target.value)} options={catalog.tables.filter((one) => one.schema === schema).map((one) => one.name)} />
      <SelectField label="Role" value={whom} disabled={fixed} onChange={(event) => setWhom(event.target.value)} options={[...new Set([whom, 'public', ...catalog.roles.map((one) => one.name)])]} />
      <fieldset className="field">
        <legend>May</legend>
        {privileges.map((one) => (
          <CheckField key={one} label={one} checked={chosen.includes(one)} onChange={(event) => setChosen(event.target.checked ? [...chosen, one] : chosen.filter((other) => other !== one))} />
        ))}
      </fieldset>
      <p className="hint">A grant opens the table; which of its rows, policies say.</p>
    </Migrate>
  )
}
