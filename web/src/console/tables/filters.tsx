import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { Table } from '../lib/catalog'
import { Button, IconButton } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { CheckField, SelectField, TextField } from '../parts/field'
import { type Filter, type Operator, type Order, modifiersOf, operators, readOperator, writeOperator } from './address'

/** Filters and order by form; the address holds what comes of it. */
export function FilterDialog({ table, filters, onApply, onClose }: { table: Table; filters: readonly Filter[]; onApply: (filters: Filter[]) => void; onClose: () => void }) {
  const fresh = (): Filter => ({ column: table.columns[0]?.name ?? '', op: 'eq', value: '' })
  const [draft, setDraft] = useState<Filter[]>(filters.length > 0 ? [...filters] : [fresh()])
  const change = (index: number, part: Partial<Filter>) => setDraft(draft.map((filter, at) => (at === index ? { ...filter, ...part } : filter)))
  return (
    <Dialog
      title="Filter rows"
      wide
      onClose={onClose}
      guarded={false}
      onSubmit={() => onApply(draft)}
      actions={
        <>
          <Button onClick={() => onApply([])}>Clear filters</Button>
          <Button type="submit" look="primary">
            Apply filters
          </Button>
        </>
      }
    >
      {draft.map((filter, index) => {
        const parts = readOperator(filter.op)
        const kind = modifiersOf(parts.op)
        const put = (part: Partial<Operator>) => change(index, { op: writeOperator({ ...parts, ...part }) })
        return (
          // The position is all that tells two filters of one column apart.
          // oxlint-disable-next-line react/no-array-index-key
          <div className="filter" key={index}>
            <SelectField label="Column" value={filter.column} onChange={(event) => change(index, { column: event.target.value })} options={table.columns.map((column) => column.name)} />
            <SelectField
              label="Operator"
              value={parts.op}
              onChange={(event) => change(index, { op: writeOperator({ ...parts, op: event.target.value }), ...(event.target.value === 'is' && filter.value === '' ? { value: 'null' } : {}) })}
              options={operators.map(({ op, label }) => ({ value: op, label }))}
            />
            <TextField label="Value" value={filter.value} placeholder={parts.modifier === 'any' || parts.modifier === 'all' ? '{a,b}' : (operators.find(({ op }) => op === parts.op)?.hint ?? '')} onChange={(event) => change(index, { value: event.target.value })} />
            <IconButton label={`Remove filter ${index + 1}`} onClick={() => setDraft(draft.filter((_, at) => at !== index))}>
              <X aria-hidden="true" />
            </IconButton>
            <CheckField label="Not" checked={parts.not} onChange={(event) => put({ not: event.target.checked })} />
            {kind === 'quantifier' ? (
              <SelectField
                label="Of"
                bare
                value={parts.modifier}
                onChange={(event) => put({ modifier: event.target.value })}
                options={[
                  { value: '', label: 'one value' },
                  { value: 'any', label: 'any of {…}' },
                  { value: 'all', label: 'all of {…}' },
                ]}
              />
            ) : null}
            {kind === 'language' ? <TextField label="Language" bare value={parts.modifier} placeholder="language, as english" onChange={(event) => put({ modifier: event.target.value.replaceAll(/\W/g, '') })} /> : null}
          </div>
        )
      })}
      <div>
        <Button icon={<Plus aria-hidden="true" />} onClick={() => setDraft([...draft, fresh()])}>
          Add filter
        </Button>
      </div>
    </Dialog>
  )
}

export function SortDialog({ table, order, onApply, onClose }: { table: Table; order: readonly Order[]; onApply: (order: Order[]) => void; onClose: () => void }) {
  const [draft, setDraft] = useState<Order[]>(order.length > 0 ? [...order] : [{ column: table.columns[0]?.name ?? '', desc: false }])
  const change = (index: number, part: Partial<Order>) => setDraft(draft.map((one, at) => (at === index ? { ...one, ...part } : one)))
  return (
    <Dialog
      title="Sort rows"
      onClose={onClose}
      guarded={false}
      onSubmit={() => onApply(draft)}
      actions={
        <>
          <Button onClick={() => onApply([])}>Clear sort</Button>
          <Button type="submit" look="primary">
            Apply sort
          </Button>
        </>
      }
    >
      {draft.map((one, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div className="row bottom" key={index}>
          <div className="grow">
            <SelectField label="Column" value={one.column} onChange={(event) => change(index, { column: event.target.value })} options={table.columns.map((column) => column.name)} />
          </div>
          <SelectField
            label="Direction"
            value={`${one.desc ? 'desc' : 'asc'}${one.nulls_first === undefined ? '' : one.nulls_first ? ' first' : ' last'}`}
            onChange={(event) => {
              const [direction, nulls] = event.target.value.split(' ')
              change(index, { desc: direction === 'desc', nulls_first: nulls === undefined ? undefined : nulls === 'first' })
            }}
            options={[
              { value: 'asc', label: 'Ascending' },
              { value: 'desc', label: 'Descending' },
              { value: 'asc first', label: 'Ascending, NULL first' },
              { value: 'desc last', label: 'Descending, NULL last' },
            ]}
          />
          <IconButton label={`Remove sort ${index + 1}`} onClick={() => setDraft(draft.filter((_, at) => at !== index))}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button icon={<Plus aria-hidden="true" />} onClick={() => setDraft([...draft, { column: table.columns[0]?.name ?? '', desc: false }])}>
          Add sort
        </Button>
      </div>
    </Dialog>
  )
}
