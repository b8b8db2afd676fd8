import { Search } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'

interface Around {
  label: string
  hint?: ReactNode
  error?: string
  /** The label is read but not drawn. */
  bare?: boolean
}

function Wrapped({ id, label, hint, error, bare, children }: Around & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id} className={bare ? 'unseen' : undefined}>
        {label}
      </label>
      {children}
      {hint ? (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} className="wrong" role="alert">
          {error}
        </p>
      ) : null}
    </div>
  )
}

function described(id: string, { hint, error }: Around): string | undefined {
  return [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined
}

export function TextField({ label, hint, error, bare, ...rest }: Around & Omit<ComponentProps<'input'>, 'className' | 'id'>) {
  const id = useId()
  const around = { label, hint, error, bare }
  return (
    <Wrapped id={id} {...around}>
      <input type="text" autoComplete="off" spellCheck={false} {...rest} id={id} aria-describedby={described(id, around)} aria-invalid={error ? true : undefined} className="input" />
    </Wrapped>
  )
}

export function TextArea({ label, hint, error, bare, ...rest }: Around & Omit<ComponentProps<'textarea'>, 'className' | 'id'>) {
  const id = useId()
  const around = { label, hint, error, bare }
  return (
    <Wrapped id={id} {...around}>
      <textarea rows={4} spellCheck={false} {...rest} id={id} aria-describedby={described(id, around)} aria-invalid={error ? true : undefined} className="input mono" />
    </Wrapped>
  )
}

export type Option = string | { value: string; label: string }

export function SelectField({ label, hint, error, bare, options, ...rest }: Around & { options: readonly Option[] } & Omit<ComponentProps<'select'>, 'className' | 'id'>) {
  const id = useId()
  const around = { label, hint, error, bare }
  return (
    <Wrapped id={id} {...around}>
      <select {...rest} id={id} aria-describedby={described(id, around)} className="input">
        {options.map((option) => {
          const { value, label: text } = typeof option === 'string' ? { value: option, label: option } : option
          return (
            <option key={value} value={value}>
              {text}
            </option>
          )
        })}
      </select>
    </Wrapped>
  )
}

export function CheckField({ label, hint, ...rest }: { label: string; hint?: ReactNode } & Omit<ComponentProps<'input'>, 'className' | 'id' | 'type'>) {
  const id = useId()
  return (
    <div className="field check">
      <input type="checkbox" {...rest} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      <label htmlFor={id}>{label}</label>
      {hint ? (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      ) : null}
    </div>
  )
}

export function SearchField({ label, value, onChange, placeholder }: { label: string; value: string; onChange: (value: string) => void; placeholder?: string }) {
  return (
    <div className="search">
      <Search aria-hidden="true" />
      <input type="search" aria-label={label} placeholder={placeholder ?? label} value={value} onChange={(event) => onChange(event.target.value)} className="input" autoComplete="off" spellCheck={false} />
    </div>
  )
}
