import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Icon } from './icon'

const control =
  'w-full rounded-md border border-granite-400 bg-white px-3.5 text-base text-ink placeholder:text-granite-500 ' +
  'hover:border-granite-600 focus-visible:border-harbor-700 focus-visible:outline-2 focus-visible:outline-offset-0 ' +
  'aria-invalid:border-danger aria-invalid:bg-danger-50 disabled:bg-granite-100'

export function Input(props: Omit<ComponentProps<'input'>, 'className'>) {
  return <input {...props} className={clsx(control, 'h-11.5')} />
}

export function Textarea({ rows = 5, mono, ...props }: Omit<ComponentProps<'textarea'>, 'className'> & { mono?: boolean }) {
  return <textarea {...props} rows={rows} className={clsx(control, 'block py-2.5', mono && 'font-mono text-sm')} />
}

export interface Option {
  value: string
  label: string
}

type SelectProps = Omit<ComponentProps<'select'>, 'className' | 'children'> & {
  options: readonly Option[]
  /** First entry with an empty value, such as 'Select…'. */
  placeholder?: string
}

/** The platform's own select: small, accessible, and best on phones. */
export function Select({ options, placeholder, ...props }: SelectProps) {
  return (
    <span className="relative block">
      <select {...props} className={clsx(control, 'h-11.5 appearance-none pr-10')}>
        {placeholder === undefined ? null : <option value="">{placeholder}</option>}
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="down" className="pointer-events-none absolute top-1/2 right-3 size-5 -translate-y-1/2 text-granite-600" />
    </span>
  )
}
