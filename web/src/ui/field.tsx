import { type ReactNode, useId } from 'react'

/** What a control needs so that its label, hint and error belong to it. */
export interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: string
  required?: boolean
  /** Where a message about the field leads: see `data-field`. */
  name?: string
  children: (control: ControlProps) => ReactNode
}

/** Label above, control, then a hint or the error that replaces it. */
export function Field({ label, hint, error, required, name, children }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  const noteId = `${id}-note`
  return (
    <div data-field={name} className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
        {required ? <RequiredMark /> : null}
      </label>
      {children({
        id,
        'aria-describedby': note ? noteId : undefined,
        'aria-invalid': error ? true : undefined,
        'aria-required': required || undefined,
      })}
      {note ? <FieldNote id={noteId} error={Boolean(error)} text={note} /> : null}
    </div>
  )
}

export function RequiredMark() {
  return (
    <span aria-hidden="true" className="text-danger">
      {' '}
      *
    </span>
  )
}

export function FieldNote({ id, error, text }: { id: string; error: boolean; text: ReactNode }) {
  return (
    <p id={id} className={error ? 'text-xs font-medium text-danger' : 'text-xs text-granite-600'}>
      {text}
    </p>
  )
}
