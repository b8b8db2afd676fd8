import { type ReactNode, useId } from 'react'
import { FieldNote, RequiredMark } from './field'
import type { Option } from './input'

interface GroupProps {
  legend: ReactNode
  name: string
  options: readonly Option[]
  required?: boolean
  hint?: string
  error?: string
}

interface CheckboxGroupProps extends GroupProps {
  value: readonly string[]
  onToggle: (option: string, checked: boolean) => void
}

interface RadioGroupProps extends GroupProps {
  value: string
  onChange: (option: string) => void
}

/** Several of many. */
export function CheckboxGroup({ value, onToggle, ...group }: CheckboxGroupProps) {
  return (
    <Group {...group}>
      {group.options.map((option) => (
        <Choice key={option.value} label={option.label}>
          <input
            type="checkbox"
            name={group.name}
            value={option.value}
            checked={value.includes(option.value)}
            onChange={(event) => onToggle(option.value, event.target.checked)}
            aria-invalid={group.error ? true : undefined}
            className="mt-0.5 size-5 shrink-0 accent-harbor-700"
          />
        </Choice>
      ))}
    </Group>
  )
}

/** One of a few. */
export function RadioGroup({ value, onChange, ...group }: RadioGroupProps) {
  return (
    <Group {...group}>
      {group.options.map((option) => (
        <Choice key={option.value} label={option.label}>
          <input
            type="radio"
            name={group.name}
            value={option.value}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
            className="mt-0.5 size-5 shrink-0 accent-harbor-700"
          />
        </Choice>
      ))}
    </Group>
  )
}

function Group({ legend, hint, error, required, children }: GroupProps & { children: ReactNode }) {
  const id = useId()
  const note = error ?? hint
  return (
    <fieldset aria-describedby={note ? id : undefined}>
      <legend className="mb-2 text-sm font-semibold">
        {legend}
        {required ? <RequiredMark /> : null}
      </legend>
      <div className="grid gap-2.5 sm:grid-cols-2">{children}</div>
      {note ? (
        <div className="mt-1.5">
          <FieldNote id={id} error={Boolean(error)} text={note} />
        </div>
      ) : null}
    </fieldset>
  )
}

function Choice({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="flex min-h-11.5 cursor-pointer items-start gap-3 rounded-md border border-granite-200 bg-white px-3.5 py-2.5 text-sm hover:border-harbor-700 has-checked:border-harbor-700 has-checked:bg-harbor-50">
      {children}
      <span className="pt-0.5">{label}</span>
    </label>
  )
}
