import { Link } from 'react-router-dom'
import type { Catalog, Table } from '../lib/catalog'
import { ident } from '../lib/format'
import { Button } from '../parts/button'
import { List } from '../parts/list'
import { Badge, Code, Section } from '../parts/page'
import { tablePath } from '../tables/address'
import type { Open } from './schema'
import { dropConstraint, publish, qualified } from './statements'

/** One table: what it is made of, and all that can be changed of it. */
export function TableTab({ catalog, table, locked, onOpen }: { catalog: Catalog; table: Table; locked: boolean; onOpen: (open: Open) => void }) {
  const name = qualified(table.schema, table.name)
  const isTable = table.kind === 'table' || table.kind === 'partitioned table'
  const realtime = catalog.publications.find((one) => one.name === 'supabase_realtime')
  const sent = realtime?.all_tables || realtime?.tables.some(([schema, other]) => schema === table.schema && other === table.name) || false
  const kind = table.kind.includes('view') ? table.kind : table.kind === 'foreign table' ? 'foreign table' : 'table'
  const run = (title: string, sql: string) => onOpen({ kind: 'statement', title, sql })
  return (
    <>
      <Section
        title={`Columns of ${table.name}`}
        actions={
          <>
            <Link to={tablePath(table.schema, table.name)}>Rows</Link>
            {isTable ? (
              <Button disabled={locked} onClick={() => onOpen({ kind: 'column' })}>
                New column
              </Button>
            ) : null}
            <Button disabled={locked} onClick={() => onOpen({ kind: 'edit-table' })}>
              Edit {kind}
            </Button>
            <Button look="danger" disabled={locked} onClick={() => run(`Delete ${kind}`, `drop ${kind} ${name};`)}>
              Delete {kind}
            </Button>
          </>
        }
      >
        {table.comment ? <p>{table.comment}</p> : null}
        {isTable ? (
          <div className="row">
            {table.rls ? <Badge tone="good">Row level security on</Badge> : <Badge tone="warn">Row level security off</Badge>}
            <Button disabled={locked} onClick={() => run(table.rls ? 'Disable row level security' : 'Enable row level security', `alter table ${name} ${table.rls ? 'disable' : 'enable'} row level security;`)}>
              {table.rls ? 'Disable row level security' : 'Enable row level security'}
            </Button>
            {realtime ? (
              <>
                {sent ? <Badge tone="good">Realtime on</Badge> : <Badge>Realtime off</Badge>}
                <Button disabled={locked || realtime.all_tables} onClick={() => run(sent ? 'Disable realtime' : 'Enable realtime', publish('supabase_realtime', table.schema, table.name, !sent))}>
                  {sent ? 'Disable realtime' : 'Enable realtime'}
                </Button>
              </>
            ) : null}
          </div>
        ) : null}
        <List
          label="Columns"
          rows={table.columns}
          id={(column) => column.name}
          empty="No columns."
          columns={[
            {
              name: 'Name',
              cell: (column) => (
                <>
                  {column.name} {table.primary_key.includes(column.name) ? <Badge>key</Badge> : null}
                </>
              ),
            },
            { name: 'Type', cell: (column) => column.type },
            { name: 'Nullable', cell: (column) => (column.nullable ? 'yes' : 'no') },
            { name: 'Default', cell: (column) => <code className="break">{column.default ?? (column.identity ? `identity ${column.identity}` : (column.generated ?? ''))}</code> },
            { name: 'Description', wide: true, cell: (column) => column.comment ?? '' },
          ]}
          actions={
            isTable
              ? (column) => (
                  <>
                    <Button disabled={locked} aria-label={`Edit column ${column.name}`} onClick={() => onOpen({ kind: 'edit-column', column })}>
                      Edit
                    </Button>{' '}
                    <Button look="danger" disabled={locked} aria-label={`Delete column ${column.name}`} onClick={() => run(`Delete column ${column.name}`, `alter table ${name} drop column ${ident(column.name)};`)}>
                      Delete
                    </Button>
                  </>
                )
              : undefined
          }
        />
      </Section>
      {isTable ? (
        <Section
          title="Keys"
          actions={
            <>
              <Button disabled={locked} onClick={() => onOpen({ kind: 'key' })}>
                New key
              </Button>
              <Button disabled={locked} onClick={() => onOpen({ kind: 'foreign-key' })}>
                New foreign key
              </Button>
            </>
          }
        >
          <p>{table.primary_key.length > 0 ? `Primary key: ${table.primary_key.join(', ')}` : 'No primary key.'}</p>
          <List
            label="Foreign keys"
            rows={table.foreign_keys}
            id={(key) => key.name}
            empty="It points to no other table."
            columns={[
              { name: 'Columns', cell: (key) => key.columns.join(', ') },
              { name: 'Point to', cell: (key) => `${key.schema}.${key.table} (${key.targets.join(', ')})` },
              { name: 'On delete', cell: (key) => key.on_delete },
              { name: 'Name', wide: true, cell: (key) => key.name },
            ]}
            actions={(key) => (
              <Button look="danger" disabled={locked} aria-label={`Delete foreign key ${key.name}`} onClick={() => run(`Delete foreign key ${key.name}`, dropConstraint(table.schema, table.name, key.name))}>
                Delete
              </Button>
            )}
          />
          {table.referenced_by.length > 0 ? <p className="muted">Pointed to by {table.referenced_by.map((key) => `${key.schema}.${key.table} (${key.columns.join(', ')})`).join(', ')}.</p> : null}
        </Section>
      ) : null}
      <details>
        <summary>Indexes of {table.name}</summary>
        <Code label={`Indexes of ${table.name}`}>{table.indexes.map((index) => `${index.definition};`).join('\n') || 'None.'}</Code>
      </details>
    </>
  )
}
