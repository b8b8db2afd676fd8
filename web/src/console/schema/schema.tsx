import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { type Catalog, type Column, type Policy, type Routine, type Table, orderedSchemas, tableOf, useCatalog } from '../lib/catalog'
import { bytes, count, ident } from '../lib/format'
import { useSession } from '../lib/session'
import { Button } from '../parts/button'
import { SearchField, SelectField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page, Section, Tabs } from '../parts/page'
import { Loaded } from '../parts/states'
import { tablePath } from '../tables/address'
import { EditColumn, EditEnum, EditFunction, EditTable, ForeignKeyForm, KeyForm, Rename } from './alter-forms'
import { Diagram } from './diagram'
import { NewColumnForm, NewEnum, NewFunction, NewIndex, NewPolicyForm, NewTable, NewTrigger, Statement } from './forms'
import { EnumsTab, ExtensionsTab, FunctionsTab, GrantForm, GrantsTab, PublicationsTab } from './more-tabs'
import { qualified } from './statements'
import { TableTab } from './table-tab'

const tabs = [
  { id: 'tables', label: 'Tables' },
  { id: 'diagram', label: 'Diagram' },
  { id: 'policies', label: 'Policies' },
  { id: 'indexes', label: 'Indexes' },
  { id: 'triggers', label: 'Triggers' },
  { id: 'functions', label: 'Functions' },
  { id: 'enums', label: 'Enums' },
  { id: 'publications', label: 'Publications' },
  { id: 'grants', label: 'Grants' },
  { id: 'extensions', label: 'Extensions' },
]

export type Open =
  | { kind: 'column' | 'index' | 'trigger' | 'enum' | 'function' | 'edit-table' | 'key' | 'foreign-key' }
  | { kind: 'policy'; policy: Policy; table: Table }
  | { kind: 'edit-column'; column: Column }
  | { kind: 'edit-function'; routine: Routine }
  | { kind: 'edit-enum'; schema: string; name: string; values: string[] }
  | { kind: 'grant'; table: string; role: string; held: readonly string[] }
  | { kind: 'rename'; what: string; name: string; sql: (name: string) => string }
  | { kind: 'statement'; title: string; sql: string }
  | null

export function Schema() {
  const catalog = useCatalog()
  return <Loaded result={catalog}>{(data) => <SchemaPage catalog={data} />}</Loaded>
}

function SchemaPage({ catalog }: { catalog: Catalog }) {
  const session = useSession()
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const [open, setOpen] = useState<Open>(null)
  const [text, setText] = useState('')
  const schema = params.get('schema') ?? 'public'
  const tab = params.get('tab') ?? 'tables'
  const table = tableOf(catalog, schema, params.get('table') ?? '')
  const fresh = params.get('new')
  const put = (change: Record<string, string | null>) => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(change)) {
      if (value === null) next.delete(name)
      else next.set(name, value)
    }
    setParams(next)
  }
  const wanted = text.toLowerCase()
  const inside = catalog.tables.filter((one) => one.schema === schema)
  const tables = table ? [table] : inside
  const named = (name: string) => name.toLowerCase().includes(wanted)
  const locked = session.read_only
  const close = () => setOpen(null)
  const drop = (title: string, sql: string) => setOpen({ kind: 'statement', title, sql })
  const policies = tables.flatMap((one) => one.policies.map((policy) => ({ table: one, policy }))).filter(({ table: one, policy }) => named(policy.name) || named(one.name))
  const indexes = tables.flatMap((one) => one.indexes.map((index) => ({ table: one, index }))).filter(({ table: one, index }) => named(index.name) || named(one.name))
  const triggers = tables.flatMap((one) => one.triggers.map((trigger) => ({ table: one, trigger }))).filter(({ table: one, trigger }) => named(trigger.name) || named(one.name))
  const functions = catalog.functions.filter((one) => one.schema === schema && named(one.name))
  const enums = catalog.enums.filter((one) => one.schema === schema && named(one.name))
  const tableLink = (one: Table) => (
    <button type="button" className="link" onClick={() => put({ table: one.name })}>
      {one.name}
    </button>
  )
  return (
    <Page
      title="Schema"
      actions={
        <>
          <Button disabled={locked} onClick={() => put({ new: 'policy' })}>
            New policy
          </Button>
          <Button look="primary" disabled={locked} onClick={() => put({ new: 'table' })}>
            New table
          </Button>
        </>
      }
    >
      <div className="row bottom">
        <SelectField label="Schema" value={schema} onChange={(event) => put({ schema: event.target.value, table: null })} options={orderedSchemas(catalog)} />
        <SelectField label="Table" value={table?.name ?? ''} onChange={(event) => put({ table: event.target.value || null })} options={[{ value: '', label: 'All tables' }, ...inside.map((one) => one.name)]} />
        <div className="grow">
          <SearchField label="Search this schema" value={text} onChange={setText} />
        </div>
      </div>
      <Tabs label="Schema" tabs={tabs} current={tab} onChange={(id) => put({ tab: id })}>
        {tab === 'tables' ? (
          table ? (
            <TableTab catalog={catalog} table={table} locked={locked} onOpen={setOpen} />
          ) : (
            <List
              label="Tables"
              rows={tables.filter((one) => named(one.name))}
              id={(one) => one.name}
              empty="No tables here."
              columns={[
                { name: 'Name', cell: tableLink },
                { name: 'Kind', cell: (one) => one.kind },
                { name: 'Rows, about', end: true, cell: (one) => count(one.estimate !== null && one.estimate < 0 ? null : one.estimate) },
                { name: 'Size', end: true, cell: (one) => bytes(one.bytes) },
                { name: 'Row level security', cell: (one) => (one.kind.includes('table') ? one.rls ? <Badge tone="good">on</Badge> : <Badge tone="warn">off</Badge> : '–') },
                { name: 'Policies', end: true, cell: (one) => one.policies.length },
                { name: 'Description', wide: true, cell: (one) => one.comment ?? '' },
              ]}
              actions={(one) => <Link to={tablePath(one.schema, one.name)}>Rows of {one.name}</Link>}
            />
          )
        ) : null}
        {tab === 'diagram' ? <Diagram key={schema} tables={tables} /> : null}
        {tab === 'policies' ? (
          <Section
            title={table ? `Policies of ${table.name}` : 'Policies'}
            actions={
              <>
                {table?.kind.includes('table') ? (
                  <Button disabled={locked} onClick={() => drop(table.rls ? 'Disable row level security' : 'Enable row level security', `alter table ${qualified(table.schema, table.name)} ${table.rls ? 'disable' : 'enable'} row level security;`)}>
                    {table.rls ? 'Disable row level security' : 'Enable row level security'}
                  </Button>
                ) : null}
              </>
            }
          >
            <List
              label="Policies"
              rows={policies}
              id={({ table: one, policy }) => `${one.name}.${policy.name}`}
              empty="No policies: with row level security on, only the service role passes."
              columns={[
                { name: 'Name', cell: ({ policy }) => policy.name },
                { name: 'Table', cell: ({ table: one }) => tableLink(one) },
                { name: 'Command', cell: ({ policy }) => policy.command },
                { name: 'Roles', cell: ({ policy }) => policy.roles.join(', ') },
                { name: 'Using', cell: ({ policy }) => <code className="break">{policy.using}</code> },
                { name: 'With check', cell: ({ policy }) => <code className="break">{policy.check}</code> },
              ]}
              actions={({ table: one, policy }) => (
                <>
                  <Button disabled={locked} aria-label={`Edit policy ${policy.name}`} onClick={() => setOpen({ kind: 'policy', policy, table: one })}>
                    Edit
                  </Button>{' '}
                  <Button look="danger" disabled={locked} aria-label={`Delete policy ${policy.name}`} onClick={() => drop('Delete policy', `drop policy ${ident(policy.name)} on ${qualified(one.schema, one.name)};`)}>
                    Delete
                  </Button>
                </>
              )}
            />
          </Section>
        ) : null}
        {tab === 'indexes' ? (
          <Section title="Indexes" actions={<NeedsTable table={table} locked={locked} label="New index" onOpen={() => setOpen({ kind: 'index' })} />}>
            <List
              label="Indexes"
              rows={indexes}
              id={({ index }) => index.name}
              empty="No indexes."
              columns={[
                { name: 'Name', cell: ({ index }) => index.name },
                { name: 'Table', cell: ({ table: one }) => tableLink(one) },
                { name: 'Definition', cell: ({ index }) => <code className="break">{index.definition}</code> },
              ]}
              actions={({ table: one, index }) => (
                <>
                <Button disabled={locked} aria-label={`Rename index ${index.name}`} onClick={() => setOpen({ kind: 'rename', what: 'index', name: index.name, sql: (name) => `alter index ${qualified(one.schema, index.name)} rename to ${ident(name)};` })}>
                  Rename
                </Button>{' '}
                <Button look="danger" disabled={locked} aria-label={`Delete index ${index.name}`} onClick={() => drop('Delete index', `drop index ${qualified(one.schema, index.name)};`)}>
                  Delete
                </Button>
                </>
              )}
            />
          </Section>
        ) : null}
        {tab === 'triggers' ? (
          <Section title="Triggers" actions={<NeedsTable table={table} locked={locked} label="New trigger" onOpen={() => setOpen({ kind: 'trigger' })} />}>
            <List
              label="Triggers"
              rows={triggers}
              id={({ table: one, trigger }) => `${one.name}.${trigger.name}`}
              empty="No triggers."
              columns={[
                { name: 'Name', cell: ({ trigger }) => trigger.name },
                { name: 'Table', cell: ({ table: one }) => tableLink(one) },
                { name: 'State', cell: ({ trigger }) => (trigger.enabled ? 'on' : <Badge tone="warn">off</Badge>) },
                { name: 'Definition', cell: ({ trigger }) => <code className="break">{trigger.definition}</code> },
              ]}
              actions={({ table: one, trigger }) => (
                <>
                <Button disabled={locked} aria-label={`Rename trigger ${trigger.name}`} onClick={() => setOpen({ kind: 'rename', what: 'trigger', name: trigger.name, sql: (name) => `alter trigger ${ident(trigger.name)} on ${qualified(one.schema, one.name)} rename to ${ident(name)};` })}>
                  Rename
                </Button>{' '}
                <Button disabled={locked} aria-label={`${trigger.enabled ? 'Disable' : 'Enable'} trigger ${trigger.name}`} onClick={() => drop(trigger.enabled ? 'Disable trigger' : 'Enable trigger', `alter table ${qualified(one.schema, one.name)} ${trigger.enabled ? 'disable' : 'enable'} trigger ${ident(trigger.name)};`)}>
                  {trigger.enabled ? 'Disable' : 'Enable'}
                </Button>{' '}
                <Button look="danger" disabled={locked} aria-label={`Delete trigger ${trigger.name}`} onClick={() => drop('Delete trigger', `drop trigger ${ident(trigger.name)} on ${qualified(one.schema, one.name)};`)}>
                  Delete
                </Button>
                </>
              )}
            />
          </Section>
        ) : null}
        {tab === 'functions' ? <FunctionsTab functions={functions} locked={locked} onOpen={setOpen} /> : null}
        {tab === 'enums' ? <EnumsTab enums={enums} locked={locked} onOpen={setOpen} /> : null}
        {tab === 'publications' ? <PublicationsTab catalog={catalog} tables={tables.filter((one) => named(one.name))} locked={locked} onOpen={setOpen} /> : null}
        {tab === 'grants' ? <GrantsTab catalog={catalog} schema={schema} tables={tables.filter((one) => named(one.name))} locked={locked} onOpen={setOpen} /> : null}
        {tab === 'extensions' ? <ExtensionsTab extensions={catalog.extensions} wanted={wanted} schemas={catalog.schemas.map((one) => one.name)} locked={locked} onOpen={setOpen} /> : null}
      </Tabs>
      {fresh === 'table' ? (
        <NewTable
          catalog={catalog}
          schema={schema}
          onClose={() => put({ new: null })}
          onDone={(name) => void setTimeout(() => navigate(tablePath(schema, name)), 0)}
        />
      ) : null}
      {fresh === 'policy' ? <NewPolicyForm catalog={catalog} table={table} bucket={params.get('bucket') ?? ''} onClose={() => put({ new: null, bucket: null })} /> : null}
      {open?.kind === 'policy' ? <NewPolicyForm catalog={catalog} table={open.table} policy={open.policy} onClose={close} /> : null}
      {open?.kind === 'column' && table ? <NewColumnForm catalog={catalog} table={table} onClose={close} /> : null}
      {open?.kind === 'index' && table ? <NewIndex table={table} onClose={close} /> : null}
      {open?.kind === 'trigger' && table ? <NewTrigger catalog={catalog} table={table} onClose={close} /> : null}
      {open?.kind === 'enum' ? <NewEnum catalog={catalog} schema={schema} onClose={close} /> : null}
      {open?.kind === 'function' ? <NewFunction catalog={catalog} schema={schema} onClose={close} /> : null}
      {open?.kind === 'edit-table' && table ? (
        <EditTable catalog={catalog} table={table} onClose={close} onDone={(home, name) => void setTimeout(() => navigate(`/schema?schema=${encodeURIComponent(home)}&table=${encodeURIComponent(name)}`), 0)} />
      ) : null}
      {open?.kind === 'edit-column' && table ? <EditColumn catalog={catalog} table={table} column={open.column} onClose={close} /> : null}
      {(open?.kind === 'key' || (open === null && params.get('form') === 'key')) && table ? <KeyForm table={table} onClose={() => (close(), put({ form: null }))} /> : null}
      {open?.kind === 'foreign-key' && table ? <ForeignKeyForm catalog={catalog} table={table} onClose={close} /> : null}
      {open?.kind === 'edit-function' ? <EditFunction routine={open.routine} onClose={close} /> : null}
      {open?.kind === 'edit-enum' ? <EditEnum schema={open.schema} name={open.name} values={open.values} onClose={close} /> : null}
      {open?.kind === 'grant' ? <GrantForm catalog={catalog} schema={schema} table={open.table} role={open.role} held={open.held} onClose={close} /> : null}
      {open?.kind === 'rename' ? <Rename what={open.what} name={open.name} sql={open.sql} onClose={close} /> : null}
      {open?.kind === 'statement' ? <Statement title={open.title} sql={open.sql} onClose={close} /> : null}
    </Page>
  )
}

function NeedsTable({ table, locked, label, onOpen }: { table: Table | undefined; locked: boolean; label: string; onOpen: () => void }) {
  return (
    <>
      {table ? null : <span className="muted">Choose a table first</span>}
      <Button disabled={locked || !table} onClick={onOpen}>
        {label}
      </Button>
    </>
  )
}
