import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { type Catalog, type Column, type Routine, type Table, orderedSchemas } from '../lib/catalog'
import { ident } from '../lib/format'
import { Button, IconButton } from '../parts/button'
import { CheckField, SelectField, TextArea, TextField } from '../parts/field'
import { Migrate } from './migrate'
import { TargetField, typeOptions } from './fields'
import { type Target, addForeignKey, addIdentityKey, addKey, alterColumn, alterEnum, alterTable, onDelete, qualified } from './statements'

interface FormProps {
  catalog: Catalog
  onClose: () => void
}

const unchanged = 'Nothing is changed yet.'

/** A column as it is, changed in place: name, type, default, whether it may be null, what it is for. */
export function EditColumn({ catalog, table, column, onClose }: FormProps & { table: Table; column: Column }) {
  const [draft, setDraft] = useState({ name: column.name, type: column.type, using: '', nullable: column.nullable, default: column.default ?? '', comment: column.comment ?? '' })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const made = Boolean(column.generated) || Boolean(column.identity)
  const options = typeOptions(catalog)
  const key = table.primary_key.includes(column.name)
  return (
    <Migrate title={`Edit column ${column.name}`} sql={alterColumn(table.schema, table.name, column, draft) || null} missing={unchanged} onClose={onClose}>
      <TextField label="Column name" value={draft.name} onChange={(event) => change({ name: event.target.value })} />
      <SelectField label="Type" value={draft.type} onChange={(event) => change({ type: event.target.value })} options={options.includes(column.type) ? options : [column.type, ...options]} />
      {draft.type === column.type ? null : <TextField label="Each value becomes" value={draft.using} placeholder={`${ident(column.name)}::${draft.type}`} hint="An expression; a cast where nothing is said. The table is written anew and locked while it lasts." onChange={(event) => change({ using: event.target.value })} />}
      <TextField label="Default value" value={draft.default} disabled={made} placeholder="An expression, such as now()" hint={made ? 'The database makes the values of this column' : 'Of rows that come from now on'} onChange={(event) => change({ default: event.target.value })} />
      <CheckField label="Nullable" checked={draft.nullable} disabled={key} hint={key ? 'A column of the primary key is never NULL' : undefined} onChange={(event) => change({ nullable: event.target.checked })} />
      <TextField label="Description" value={draft.comment} onChange={(event) => change({ comment: event.target.value })} />
    </Migrate>
  )
}

export function EditTable({ catalog, table, onClose, onDone }: FormProps & { table: Table; onDone: (schema: string, name: string) => void }) {
  const [draft, setDraft] = useState({ schema: table.schema, name: table.name, comment: table.comment ?? '', rls: table.rls, forced: table.forced })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const secured = table.kind === 'table' || table.kind === 'partitioned table'
  return (
    <Migrate title={`Edit ${table.kind} ${table.name}`} sql={alterTable(table, draft) || null} missing={unchanged} onClose={onClose} onDone={() => onDone(draft.schema, draft.name.trim())}>
      <TextField label="Name" value={draft.name} onChange={(event) => change({ name: event.target.value })} />
      <SelectField label="Schema" value={draft.schema} onChange={(event) => change({ schema: event.target.value })} options={orderedSchemas(catalog)} />
      <TextField label="Description" value={draft.comment} onChange={(event) => change({ comment: event.target.value })} />
      {secured ? (
        <>
          <CheckField label="Enable row level security" checked={draft.rls} onChange={(event) => change({ rls: event.target.checked })} hint="Without it everybody with the publishable key reads and writes all rows" />
          <CheckField label="For the owner too" checked={draft.forced} disabled={!draft.rls} onChange={(event) => change({ forced: event.target.checked })} />
        </>
      ) : null}
    </Migrate>
  )
}

/** What tells rows apart: columns that are there, or one made for it. */
export function KeyForm({ table, onClose }: { table: Table; onClose: () => void }) {
  const [kind, setKind] = useState<'primary key' | 'unique'>(table.primary_key.length > 0 ? 'unique' : 'primary key')
  const [columns, setColumns] = useState<string[]>([])
  const [fresh, setFresh] = useState('id')
  const made = columns.length > 0 ? addKey(table.schema, table.name, kind, columns) : kind === 'primary key' && fresh.trim() !== '' ? addIdentityKey(table.schema, table.name, fresh.trim()) : null
  return (
    <Migrate title={`New key of ${table.name}`} sql={made} missing="Choose columns, or name one to be made." onClose={onClose}>
      <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value === 'unique' ? 'unique' : 'primary key')} options={table.primary_key.length > 0 ? ['unique'] : ['primary key', 'unique']} />
      <fieldset className="field">
        <legend>Columns</legend>
        {table.columns.map((column) => (
          <CheckField key={column.name} label={column.name} checked={columns.includes(column.name)} onChange={(event) => setColumns(event.target.checked ? [...columns, column.name] : columns.filter((name) => name !== column.name))} />
        ))}
      </fieldset>
      {kind === 'primary key' && columns.length === 0 ? <TextField label="Or a new column that numbers the rows" value={fresh} onChange={(event) => setFresh(event.target.value)} /> : null}
    </Migrate>
  )
}

export function ForeignKeyForm({ catalog, table, onClose }: FormProps & { table: Table }) {
  const [column, setColumn] = useState(table.columns[0]?.name ?? '')
  const [target, setTarget] = useState<Target | null>(null)
  const [action, setAction] = useState('no action')
  return (
    <Migrate title={`New foreign key of ${table.name}`} sql={target ? addForeignKey(table.schema, table.name, column, target, action) : null} missing="Choose what it points to." onClose={onClose}>
      <SelectField label="Column" value={column} onChange={(event) => setColumn(event.target.value)} options={table.columns.map((one) => one.name)} />
      <TargetField catalog={catalog} label="Points to" value={target} onChange={setTarget} />
      <SelectField label="On delete" value={action} onChange={(event) => setAction(event.target.value)} options={onDelete} hint="What becomes of these rows when the one they point to goes" />
    </Migrate>
  )
}

/** A function by its whole definition, which replaces it. */
export function EditFunction({ routine, onClose }: { routine: Routine; onClose: () => void }) {
  const [text, setText] = useState(routine.definition)
  const [name, setName] = useState(routine.name)
  const on = `${routine.kind} ${qualified(routine.schema, routine.name)}(${routine.identity})`
  const lines = [text.trim() === routine.definition.trim() ? '' : `${text.trim().replace(/;$/, '')};`, name.trim() === routine.name || name.trim() === '' ? '' : `alter ${on} rename to ${ident(name.trim())};`]
  return (
    <Migrate title={`Edit function ${routine.name}`} sql={lines.filter(Boolean).join('\n') || null} missing={unchanged} onClose={onClose}>
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <TextArea label="Definition" rows={18} value={text} onChange={(event) => setText(event.target.value)} hint="With other arguments it is a function beside this one; another return type needs it to be deleted first." />
    </Migrate>
  )
}

export function EditEnum({ schema, name, values, onClose }: { schema: string; name: string; values: readonly string[]; onClose: () => void }) {
  const [draft, setDraft] = useState({ name, values: [...values], added: [''] })
  return (
    <Migrate title={`Edit enum ${name}`} sql={alterEnum(schema, { name, values }, draft) || null} missing={unchanged} onClose={onClose}>
      <TextField label="Name" value={draft.name} onChange={(event) => setDraft({ ...draft, name: event.target.value })} />
      {values.map((value, index) => (
        <TextField key={value} label={`Value ${index + 1}`} value={draft.values[index] ?? ''} onChange={(event) => setDraft({ ...draft, values: draft.values.map((one, at) => (at === index ? event.target.value : one)) })} />
      ))}
      {draft.added.map((value, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div className="row bottom" key={index}>
          <div className="grow">
            <TextField label={`New value ${index + 1}`} value={value} onChange={(event) => setDraft({ ...draft, added: draft.added.map((one, at) => (at === index ? event.target.value : one)) })} />
          </div>
          <IconButton label={`Remove added value ${index + 1}`} onClick={() => setDraft({ ...draft, added: draft.added.filter((_, at) => at !== index) })}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button icon={<Plus aria-hidden="true" />} onClick={() => setDraft({ ...draft, added: [...draft.added, ''] })}>
          Add value
        </Button>
      </div>
      <p className="hint">Postgres takes no value of an enum away.</p>
    </Migrate>
  )
}

/** Another name for what a statement can rename. */
export function Rename({ what, name, sql, onClose }: { what: string; name: string; sql: (name: string) => string; onClose: () => void }) {
  const [text, setText] = useState(name)
  const wanted = text.trim()
  return (
    <Migrate title={`Rename ${what} ${name}`} sql={wanted === '' || wanted === name ? null : sql(wanted)} missing="Type another name." onClose={onClose}>
      <TextField label="Name" value={text} onChange={(event) => setText(event.target.value)} />
    </Migrate>
  )
}
