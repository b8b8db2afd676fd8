import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { Catalog, Policy, Table } from '../lib/catalog'
import { orderedSchemas } from '../lib/catalog'
import { ident, literal } from '../lib/format'
import { Button, IconButton } from '../parts/button'
import { CheckField, SelectField, TextArea, TextField } from '../parts/field'
import { TargetField, typeOptions } from './fields'
import { Migrate } from './migrate'
import { type NewColumn, type NewIndex as NewIndexDraft, type NewPolicy, type NewTrigger as NewTriggerDraft, addColumn, createEnum, createFunction, createIndex, createPolicy, createTable, createTrigger, freshColumn, onDelete, policyTemplates, qualified, rulesOf, storageTemplates } from './statements'

interface FormProps {
  catalog: Catalog
  onClose: () => void
}

function ColumnFields({ catalog, column, index, onChange, onRemove }: { catalog: Catalog; column: NewColumn; index: number; onChange: (part: Partial<NewColumn>) => void; onRemove?: () => void }) {
  return (
    <fieldset className="section">
      <legend className="unseen">Column {index + 1}</legend>
      <div className="row bottom">
        <div className="grow">
          <TextField label="Column name" value={column.name} onChange={(event) => onChange({ name: event.target.value })} />
        </div>
        <div className="grow">
          <SelectField label="Type" value={column.type} onChange={(event) => onChange({ type: event.target.value })} options={typeOptions(catalog)} />
        </div>
        {onRemove ? (
          <IconButton label={`Remove column ${column.name || index + 1}`} onClick={onRemove}>
            <X aria-hidden="true" />
          </IconButton>
        ) : null}
      </div>
      <div className="row">
        <CheckField label="Primary key" checked={column.primary} onChange={(event) => onChange({ primary: event.target.checked })} />
        <CheckField label="Nullable" checked={column.nullable && !column.primary} disabled={column.primary} onChange={(event) => onChange({ nullable: event.target.checked })} />
        <CheckField label="Unique" checked={column.unique || column.primary} disabled={column.primary} onChange={(event) => onChange({ unique: event.target.checked })} />
        <CheckField label="Identity" checked={column.identity} disabled={!/int/.test(column.type)} onChange={(event) => onChange({ identity: event.target.checked })} />
      </div>
      <div className="columns">
        <TextField label="Default value" value={column.default} placeholder="An expression, such as now()" onChange={(event) => onChange({ default: event.target.value })} />
        <TargetField catalog={catalog} label="Foreign key to" value={column.references} onChange={(references) => onChange({ references })} />
        {column.references ? <SelectField label="On delete" value={column.onDelete} onChange={(event) => onChange({ onDelete: event.target.value })} options={onDelete} /> : null}
      </div>
    </fieldset>
  )
}

export function NewTable({ catalog, schema, onClose, onDone }: FormProps & { schema: string; onDone?: (name: string) => void }) {
  const [name, setName] = useState('')
  const [where, setWhere] = useState(schema)
  const [comment, setComment] = useState('')
  const [rls, setRls] = useState(true)
  const [columns, setColumns] = useState<NewColumn[]>([freshColumn({ name: 'id', type: 'bigint', primary: true, identity: true, nullable: false }), freshColumn({ name: 'created_at', type: 'timestamptz', nullable: false, default: 'now()' })])
  const whole = name.trim() !== '' && columns.length > 0 && columns.every((column) => column.name.trim() !== '')
  return (
    <Migrate title="New table" sql={whole ? createTable({ schema: where, name: name.trim(), comment, rls, columns }) : null} missing="A table needs a name, and each of its columns too." onClose={onClose} onDone={() => onDone?.(name.trim())}>
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <div className="columns">
        <SelectField label="Schema" value={where} onChange={(event) => setWhere(event.target.value)} options={orderedSchemas(catalog)} />
        <TextField label="Description" value={comment} onChange={(event) => setComment(event.target.value)} />
      </div>
      <CheckField label="Enable row level security" checked={rls} onChange={(event) => setRls(event.target.checked)} hint="Without it everybody with the publishable key reads and writes all rows" />
      {columns.map((column, index) => (
        <ColumnFields
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          catalog={catalog}
          column={column}
          index={index}
          onChange={(part) => setColumns(columns.map((one, at) => (at === index ? { ...one, ...part } : one)))}
          onRemove={() => setColumns(columns.filter((_, at) => at !== index))}
        />
      ))}
      <div>
        <Button icon={<Plus aria-hidden="true" />} onClick={() => setColumns([...columns, freshColumn()])}>
          Add column
        </Button>
      </div>
    </Migrate>
  )
}

export function NewColumnForm({ catalog, table, onClose }: FormProps & { table: Table }) {
  const [column, setColumn] = useState(freshColumn())
  return (
    <Migrate title={`New column of ${table.name}`} sql={column.name.trim() === '' ? null : addColumn(table.schema, table.name, column)} missing="The column needs a name." onClose={onClose}>
      <ColumnFields catalog={catalog} column={column} index={0} onChange={(part) => setColumn({ ...column, ...part })} />
    </Migrate>
  )
}

const commands = ['select', 'insert', 'update', 'delete', 'all']
const roleNames = ['anon', 'authenticated', 'service_role']

export function NewPolicyForm({ catalog, table, policy, bucket = '', onClose }: FormProps & { table: Table | undefined; policy?: Policy; bucket?: string }) {
  const tables = catalog.tables.filter((one) => one.kind.includes('table'))
  const [target, setTarget] = useState(table ? `${table.schema}.${table.name}` : '')
  const [draft, setDraft] = useState<NewPolicy>(
    policy
      ? { name: policy.name, command: policy.command.toLowerCase(), roles: policy.roles, permissive: policy.permissive, using: policy.using ?? '', check: policy.check ?? '' }
      : { name: '', command: 'select', roles: ['authenticated'], permissive: true, using: 'true', check: 'true' },
  )
  const change = (part: Partial<NewPolicy>) => setDraft({ ...draft, ...part })
  const chosen = tables.find((one) => `${one.schema}.${one.name}` === target)
  const templates = target === 'storage.objects' ? storageTemplates(bucket === '' ? 'bucket_id is not null' : `bucket_id = ${literal(bucket)}`) : policyTemplates
  const { using, check } = rulesOf(draft.command)
  const made = chosen && draft.name.trim() !== '' ? createPolicy(chosen.schema, chosen.name, draft) : null
  // The roles of the API, and whatever else a policy names already.
  const named = [...new Set([...roleNames, ...(policy?.roles ?? []).filter((role) => role !== 'public')])]
  const before = policy && chosen ? `drop policy ${ident(policy.name)} on ${qualified(chosen.schema, chosen.name)};\n` : ''
  const open = chosen && !chosen.rls ? `alter table ${qualified(chosen.schema, chosen.name)} enable row level security;\n` : ''
  return (
    <Migrate title={policy ? `Edit policy ${policy.name}` : 'New policy'} sql={made === null ? null : before + open + made} missing="A policy needs a table and a name." onClose={onClose}>
      {policy ? null : (
        <SelectField
          label="Template"
          defaultValue=""
          onChange={(event) => {
            const found = templates.find((one) => one.name === event.target.value)
            if (found) setDraft(found.policy)
          }}
          options={[{ value: '', label: 'None' }, ...templates.map((one) => one.name)]}
        />
      )}
      <TextField label="Policy name" value={draft.name} onChange={(event) => change({ name: event.target.value })} />
      <SelectField label="Table" value={target} disabled={policy !== undefined} onChange={(event) => setTarget(event.target.value)} options={[{ value: '', label: 'Choose a table' }, ...tables.map((one) => `${one.schema}.${one.name}`)]} />
      <div className="columns">
        <SelectField label="Command" value={draft.command} onChange={(event) => change({ command: event.target.value })} options={commands} />
        <SelectField label="Behaviour" value={draft.permissive ? 'permissive' : 'restrictive'} onChange={(event) => change({ permissive: event.target.value === 'permissive' })} options={['permissive', 'restrictive']} />
      </div>
      <fieldset className="field">
        <legend>Roles</legend>
        <div className="row">
          {named.map((role) => (
            <CheckField key={role} label={role} checked={draft.roles.includes(role)} onChange={(event) => change({ roles: event.target.checked ? [...draft.roles, role] : draft.roles.filter((one) => one !== role) })} />
          ))}
        </div>
        <p className="hint">None means everybody.</p>
      </fieldset>
      {using ? <TextArea label="Using expression" value={draft.using} onChange={(event) => change({ using: event.target.value })} hint="Which rows are seen or touched" /> : null}
      {check ? <TextArea label="With check expression" value={draft.check} onChange={(event) => change({ check: event.target.value })} hint="Which rows may come of it" /> : null}
    </Migrate>
  )
}

export function NewIndex({ table, onClose }: { table: Table; onClose: () => void }) {
  const [draft, setDraft] = useState<NewIndexDraft>({ name: '', columns: [], expression: '', unique: false, method: 'btree', where: '' })
  const change = (part: Partial<NewIndexDraft>) => setDraft({ ...draft, ...part })
  return (
    <Migrate title={`New index of ${table.name}`} sql={draft.columns.length === 0 && draft.expression.trim() === '' ? null : createIndex(table.schema, table.name, draft)} missing="Choose a column, or write an expression." onClose={onClose}>
      <fieldset className="field">
        <legend>Columns</legend>
        {table.columns.map((column) => (
          <CheckField key={column.name} label={column.name} checked={draft.columns.includes(column.name)} onChange={(event) => change({ columns: event.target.checked ? [...draft.columns, column.name] : draft.columns.filter((name) => name !== column.name) })} />
        ))}
      </fieldset>
      <TextField label="Or an expression" value={draft.expression} placeholder="lower(email), created_at desc" onChange={(event) => change({ expression: event.target.value })} />
      <div className="columns">
        <SelectField label="Method" value={draft.method} onChange={(event) => change({ method: event.target.value })} options={['btree', 'hash', 'gin', 'gist', 'spgist', 'brin']} />
        <TextField label="Name" value={draft.name} placeholder="Postgres makes one" onChange={(event) => change({ name: event.target.value })} />
      </div>
      <TextField label="Only rows where" value={draft.where} placeholder="deleted_at is null" onChange={(event) => change({ where: event.target.value })} />
      <CheckField label="Unique" checked={draft.unique} onChange={(event) => change({ unique: event.target.checked })} />
    </Migrate>
  )
}

export function NewEnum({ catalog, schema, onClose }: FormProps & { schema: string }) {
  const [name, setName] = useState('')
  const [where, setWhere] = useState(schema)
  const [text, setText] = useState('')
  const values = text.split('\n').filter((line) => line.trim() !== '')
  return (
    <Migrate title="New enum" sql={name.trim() === '' || values.length === 0 ? null : createEnum(where, name.trim(), values)} missing="An enum needs a name and values." onClose={onClose}>
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <SelectField label="Schema" value={where} onChange={(event) => setWhere(event.target.value)} options={orderedSchemas(catalog)} />
      <TextArea label="Values" rows={6} value={text} onChange={(event) => setText(event.target.value)} hint="One a line, in their order" />
    </Migrate>
  )
}

export function NewFunction({ catalog, schema, onClose }: FormProps & { schema: string }) {
  const [draft, setDraft] = useState({ schema, name: '', arguments: '', returns: 'trigger', language: 'plpgsql', definer: false, body: 'begin\n  return new;\nend' })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  return (
    <Migrate title="New database function" sql={draft.name.trim() === '' ? null : createFunction({ ...draft, name: draft.name.trim() })} missing="The function needs a name." onClose={onClose}>
      <TextField label="Name" value={draft.name} onChange={(event) => change({ name: event.target.value })} />
      <div className="columns">
        <SelectField label="Schema" value={draft.schema} onChange={(event) => change({ schema: event.target.value })} options={orderedSchemas(catalog)} />
        <TextField label="Returns" value={draft.returns} onChange={(event) => change({ returns: event.target.value })} />
        <SelectField label="Language" value={draft.language} onChange={(event) => change({ language: event.target.value })} options={['plpgsql', 'sql']} />
      </div>
      <TextField label="Arguments" value={draft.arguments} placeholder="a integer, b text" onChange={(event) => change({ arguments: event.target.value })} />
      <TextArea label="Body" rows={10} value={draft.body} onChange={(event) => change({ body: event.target.value })} />
      <CheckField label="Security definer" checked={draft.definer} onChange={(event) => change({ definer: event.target.checked })} hint="Runs with its owner's rights: policies of the caller do not hold inside" />
    </Migrate>
  )
}

export function NewTrigger({ catalog, table, onClose }: FormProps & { table: Table }) {
  const routines = catalog.functions.filter((one) => one.returns === 'trigger').map((one) => qualified(one.schema, one.name))
  const view = table.kind === 'view'
  const [draft, setDraft] = useState<NewTriggerDraft>({ name: '', when: view ? 'instead of' : 'before', events: ['insert'], columns: [], routine: routines[0] ?? '', each: 'row', condition: '', arguments: '' })
  const change = (part: Partial<NewTriggerDraft>) => setDraft({ ...draft, ...part })
  const ticked = (list: readonly string[], name: string, on: boolean) => (on ? [...list, name] : list.filter((one) => one !== name))
  return (
    <Migrate title={`New trigger of ${table.name}`} sql={draft.name.trim() === '' || draft.events.length === 0 || draft.routine === '' ? null : createTrigger(table.schema, table.name, { ...draft, name: draft.name.trim() })} missing="A trigger needs a name, an event and a function that returns trigger." onClose={onClose}>
      <TextField label="Name" value={draft.name} onChange={(event) => change({ name: event.target.value })} />
      <SelectField label="When" value={draft.when} onChange={(event) => change({ when: event.target.value })} options={view ? ['instead of', 'before', 'after'] : ['before', 'after']} />
      <fieldset className="field">
        <legend>Events</legend>
        <div className="row">
          {['insert', 'update', 'delete', ...(draft.each === 'statement' ? ['truncate'] : [])].map((event) => (
            <CheckField key={event} label={event} checked={draft.events.includes(event)} onChange={(tick) => change({ events: ticked(draft.events, event, tick.target.checked) })} />
          ))}
        </div>
      </fieldset>
      {draft.events.includes('update') ? (
        <fieldset className="field">
          <legend>Only updates of</legend>
          <div className="row">
            {table.columns.map((column) => (
              <CheckField key={column.name} label={column.name} checked={draft.columns.includes(column.name)} onChange={(tick) => change({ columns: ticked(draft.columns, column.name, tick.target.checked) })} />
            ))}
          </div>
        </fieldset>
      ) : null}
      <SelectField label="Function" value={draft.routine} onChange={(event) => change({ routine: event.target.value })} options={routines} hint={routines.length === 0 ? 'Make one that returns trigger first, at Functions.' : undefined} />
      <div className="columns">
        <SelectField label="For each" value={draft.each} onChange={(event) => change({ each: event.target.value, events: draft.events.filter((one) => one !== 'truncate') })} options={['row', 'statement']} />
        <TextField label="Arguments" value={draft.arguments} placeholder="'a', 'b'" onChange={(event) => change({ arguments: event.target.value })} />
      </div>
      <TextField label="Only when" value={draft.condition} placeholder="old.state is distinct from new.state" onChange={(event) => change({ condition: event.target.value })} />
    </Migrate>
  )
}

/** A change that needs no form: the statement is shown, and runs when told. */
export function Statement({ title, sql, onClose }: { title: string; sql: string; onClose: () => void }) {
  return (
    <Migrate title={title} sql={sql} onClose={onClose}>
      <p>The statement below is shown as a migration before it runs.</p>
    </Migrate>
  )
}
