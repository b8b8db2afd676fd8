/** The markup that all forms share. */
import type { ReactNode } from 'react'
import { company } from '@/content/site'
import { Button, type ButtonVariant } from '@/ui/button'
import { CheckboxGroup, RadioGroup } from '@/ui/choice-group'
import { ErrorSummary } from '@/ui/error-summary'
import { Field } from '@/ui/field'
import { Icon } from '@/ui/icon'
import { Input, type Option, Select, Textarea } from '@/ui/input'
import { fieldOf } from './schema'
import { TRAP_NAME } from './typed'
import type { Form } from './use-form'

interface FormFieldProps {
  form: Form
  name: string
  label?: string
  hint?: string
  placeholder?: string
  /** Draws a text field as a list, or a choice as radio buttons. */
  as?: 'select' | 'radios'
  options?: readonly Option[]
}

/** One field as its schema describes it; nothing while its condition does not hold. */
export function FormField({ form, name, label, hint, placeholder, as, options }: FormFieldProps) {
  const field = fieldOf(form.schema, name)
  if (!form.shows(field)) return null
  const shown = { error: form.errors[name], hint, required: field.required }
  const title = label ?? field.label
  const list = options ?? field.options ?? []
  const text = typeof form.values[name] === 'string' ? form.values[name] : ''

  if (as === 'radios') {
    return <RadioGroup {...shown} legend={title} name={name} options={list} value={text} onChange={(value) => form.set(name, value)} />
  }
  return (
    <Field {...shown} label={title}>
      {(control) => {
        const common = { ...control, name, value: text, onBlur: () => form.check(name) }
        if (field.type === 'choice' || as === 'select') {
          return <Select {...common} autoComplete={field.autocomplete} options={list} placeholder={placeholder ?? 'Select…'} onChange={(event) => form.set(name, event.target.value)} />
        }
        if (field.type === 'textarea') {
          return <Textarea {...common} placeholder={placeholder} onChange={(event) => form.set(name, event.target.value)} />
        }
        return (
          <Input
            {...common}
            type={field.type === 'email' || field.type === 'tel' ? field.type : 'text'}
            autoComplete={field.autocomplete ?? 'off'}
            inputMode={field.inputMode as 'tel' | 'numeric' | 'email' | undefined}
            placeholder={placeholder}
            onChange={(event) => form.set(name, event.target.value)}
          />
        )
      }}
    </Field>
  )
}

interface FormChoicesProps {
  form: Form
  name: string
  legend: string
  hint?: string
  onToggle?: (option: string, checked: boolean) => void
}

export function FormChoices({ form, name, legend, hint, onToggle }: FormChoicesProps) {
  const field = fieldOf(form.schema, name)
  const chosen = form.values[name] as string[]
  return (
    <CheckboxGroup
      legend={legend}
      name={name}
      options={field.options ?? []}
      required={field.required}
      hint={hint}
      error={form.errors[name]}
      value={chosen}
      onToggle={(option, checked) => {
        form.set(name, checked ? [...chosen, option] : chosen.filter((other) => other !== option))
        onToggle?.(option, checked)
      }}
    />
  )
}

/**
 * A field that only robots fill. Its name says nothing that autofill knows, password managers are told
 * to leave it, and it is off the screen, out of the tab order and hidden from screen readers.
 */
export function Honeypot({ form }: { form: Form }) {
  return (
    <div aria-hidden="true" className="pointer-events-none absolute -left-[200vw] size-px overflow-hidden">
      <label>
        Leave this field empty
        <input
          type="text"
          name={TRAP_NAME}
          tabIndex={-1}
          autoComplete="off"
          data-1p-ignore="true"
          data-lpignore="true"
          data-bwignore="true"
          data-form-type="other"
          value={form.trap.value}
          onChange={(event) => form.trap.onChange(event.target.value)}
        />
      </label>
    </div>
  )
}

interface SubmitProps {
  form: Form
  label: string
  busyLabel: string
  variant?: ButtonVariant
  wide?: boolean
}

export function SubmitButton({ form, label, busyLabel, variant = 'gold', wide }: SubmitProps) {
  return (
    // Until scripts run nothing could receive a submit, and the browser's own would put the fields into the address.
    <Button type={form.ready ? 'submit' : 'button'} size="lg" variant={variant} wide={wide} busy={form.status === 'sending'}>
      {form.status === 'sending' ? busyLabel : label}
    </Button>
  )
}

/** On top of a long form that could not be sent: what is missing, each a way to its field. */
export function FormErrors({ form }: { form: Form }) {
  const entries = form.schema.fields
    .filter(({ name }) => form.refused[name] !== undefined)
    .map(({ name, label }) => ({ label, message: form.refused[name] ?? '', onSelect: () => form.show(name) }))
  return entries.length > 1 ? <ErrorSummary entries={entries} quiet /> : null
}

/** On top of a form once an emergency is chosen: a form may wait, an emergency does not. */
export function EmergencyNote() {
  return (
    <p role="alert" className="flex gap-3 rounded-lg border-2 border-danger bg-danger-50 p-4 text-sm">
      <Icon name="siren" className="mt-0.5 size-6 shrink-0 text-danger" />
      <span>
        <strong className="block text-base">Do not wait for a form: call now.</strong>
        <a href={company.emergencyHref} className="inline-block rounded-sm py-1 font-display text-h3 font-extrabold text-danger hover:underline">
          {company.emergencyPhone}
        </a>
        <span className="block text-granite-600">The emergency line is answered 24 hours a day, seven days a week.</span>
      </span>
    </p>
  )
}

/** Beside the button: why nothing happens while there is no connection. */
export function OfflineNote({ form }: { form: Form }) {
  return (
    <div role="status">
      {form.status === 'waiting' ? (
        <Note>
          <Icon name="offline" className="mt-0.5 size-5 shrink-0" />
          <span>You are offline. What you typed is kept here, and it will be sent as soon as the connection is back.</span>
        </Note>
      ) : null}
    </div>
  )
}

/** Above the fields, all the columns wide: what to do without scripts. */
export function ScriptNote() {
  return (
    <noscript className="col-span-full">
      <Note>
        <span>
          This form needs JavaScript. Without it, please call {company.phone} or write to {company.email}: a person reads both.
        </span>
      </Note>
    </noscript>
  )
}

function Note({ children }: { children: ReactNode }) {
  return <p className="mb-5 flex gap-3 rounded-md border border-gold-500 bg-gold-50 p-4 text-sm text-ink">{children}</p>
}
