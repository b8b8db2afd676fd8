import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { Catalog, Policy, Table } from '../lib/catalog'
import { orderedSchemas } from '../lib/catalog'
import { ident } from '../lib/format'
import { Button, IconButton } from '../parts/button'
import { CheckField, SelectField, TextArea, TextField } from '../parts/field'
import { Migrate } from './migrate'
import { type NewColumn, type NewPolicy, addColumn, createEnum, createFunction, createIndex, createPolicy, createTable, createTrigger, freshColumn, onDelete, policyTemplates, qualified, rulesOf, types } from './statements'

interface FormProps {
  catalog: Catalog
  onClose: () => void
}

function typeOptions(catalog: Catalog): string[] {
  return [...types, ...catalog.enums.map((one) => (one.schema === 'public' ? ident(one.name) : qualified(one.schema, one.name)))]
}

/** Columns that a foreign key may point to: keys of one column. */
function targets(catalog: Catalog): string[] {
  return catalog.tables.filter((table) => table.primary_key.length === 1).map((table) => `${table.schema}.${table.name}.${table.primary_key[0] ?? ''}`)
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
        <SelectField label="Foreign key to" value={column.references} onChange={(event) => onChange({ references: event.target.value })} options={[{ value: '', label: 'nothing' }, ...targets(catalog)]} />
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

export function NewPolicyForm({ catalog, table, policy, onClose }: FormProps & { table: Table | undefined; policy?: Policy }) {
  const tables = catalog.tables.filter((one) => one.kind.includes('table'))
  const [target, setTarget] = useState(table ? `${table.schema}.${table.name}` : '')
  const [draft, setDraft] = useState<NewPolicy>(
    policy
      ? { name: policy.name, command: policy.command.toLowerCase(), roles: policy.roles, permissive: policy.permissive, using: policy.using ?? '', check: policy.check ?? '' }
      : { name: '', command: 'select', roles: ['authenticated'], permissive: true, using: 'true', check: 'true' },
  )
  const change = (part: Partial<NewPolicy>) => setDraft({ ...draft, ...part })
  const chosen = tables.find((one) => `${one.schema}.${one.name}` === target)
  const { using, check } = rulesOf(draft.command)
  const made = chosen && draft.name.trim() !== '' ? createPolicy(chosen.schema, chosen.name, draft) : null
  const before = policy && chosen ? `drop policy ${ident(policy.name)} on ${qualified(chosen.schema, chosen.name)};\n` : ''
  const open = chosen && !chosen.rls ? `alter table ${qualified(chosen.schema, chosen.name)} enable row level security;\n` : ''
  return (
    <Migrate title={policy ? `Edit policy ${policy.name}` : 'New policy'} sql={made === null ? null : before + open + made} missing="A policy needs a table and a name." onClose={onClose}>
      {policy ? null : (
        <SelectField
          label="Template"
          defaultValue=""
          onChange={(event) => {
            const found = policyTemplates.find((one) => one.name === event.target.value)
            if (found) setDraft(found.policy)
          }}
          options={[{ value: '', label: 'None' }, ...policyTemplates.map((one) => one.name)]}
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
          {roleNames.map((role) => (
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
  const [columns, setColumns] = useState<string[]>([])
  const [unique, setUnique] = useState(false)
  const [method, setMethod] = useState('btree')
  return (
    <Migrate title={`New index of ${table.name}`} sql={columns.length === 0 ? null : createIndex(table.schema, table.name, { columns, unique, method })} missing="Choose a column." onClose={onClose}>
      <fieldset className="field">
        <legend>Columns</legend>
        {table.columns.map((column) => (
          <CheckField key={column.name} label={column.name} checked={columns.includes(column.name)} onChange={(event) => setColumns(event.target.checked ? [...columns, column.name] : columns.filter((name) => name !== column.name))} />
        ))}
      </fieldset>
      <SelectField label="Method" value={method} onChange={(event) => setMethod(event.target.value)} options={['btree', 'hash', 'gin', 'gist', 'brin']} />
      <CheckField label="Unique" checked={unique} onChange={(event) => setUnique(event.target.checked)} />
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
  const [draft, setDraft] = useState({ name: '', when: 'before', events: ['insert'], routine: routines[0] ?? '', each: 'row' })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  return (
    <Migrate title={`New trigger of ${table.name}`} sql={draft.name.trim() === '' || draft.events.length === 0 || draft.routine === '' ? null : createTrigger(table.schema, table.name, { ...draft, name: draft.name.trim() })} missing="A trigger needs a name, an event and a function that returns trigger." onClose={onClose}>
      <TextField label="Name" value={draft.name} onChange={(event) => change({ name: event.target.value })} />
      <SelectField label="When" value={draft.when} onChange={(event) => change({ when: event.target.value })} options={['before', 'after']} />
      <fieldset className="field">
        <legend>Events</legend>
        <div className="row">
          {['insert', 'update', 'delete'].map((event) => (
            <CheckField key={event} label={event} checked={draft.events.includes(event)} onChange={(tick) => change({ events: tick.target.checked ? [...draft.events, event] : draft.events.filter((one) => one !== event) })} />
          ))}
        </div>
      </fieldset>
      <SelectField label="Function" value={draft.routine} onChange={(event) => change({ routine: event.target.value })} options={routines} />
      <SelectField label="For each" value={draft.each} onChange={(event) => change({ each: event.target.value })} options={['row', 'statement']} />
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
