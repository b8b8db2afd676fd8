import type { Catalog } from '../lib/catalog'
import { ident } from '../lib/format'
import { SelectField } from '../parts/field'
import { type Target, qualified, types } from './statements'

export function typeOptions(catalog: Catalog): string[] {
  return [...types, ...catalog.enums.map((one) => (one.schema === 'public' ? ident(one.name) : qualified(one.schema, one.name)))]
}

/** What a foreign key may point to: keys of one column. */
export function TargetField({ catalog, label, value, onChange }: { catalog: Catalog; label: string; value: Target | null; onChange: (target: Target | null) => void }) {
  const targets = catalog.tables.filter((table) => table.primary_key.length === 1).map((table): Target => [table.schema, table.name, table.primary_key[0] ?? ''])
  return (
    <SelectField
      label={label}
      value={value ? JSON.stringify(value) : ''}
      onChange={(event) => onChange(targets.find((target) => JSON.stringify(target) === event.target.value) ?? null)}
      options={[{ value: '', label: 'nothing' }, ...targets.map((target) => ({ value: JSON.stringify(target), label: target.join('.') }))]}
    />
  )
}
