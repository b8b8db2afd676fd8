/**
 * The shape of a form's one description, `functions/<name>/<form>.form.json`, which the function that
 * receives it reads too. Each description is imported in `schemas/`, so that a page loads only its own.
 */
export type FieldType = 'text' | 'email' | 'tel' | 'zip' | 'textarea' | 'choice' | 'choices' | 'hidden' | 'number' | 'boolean'

export interface FieldSchema {
  name: string
  label: string
  type: FieldType
  required: boolean
  /** Shown and required only while that other field holds any of these values. */
  requiredWhen?: Record<string, string[]>
  /** Longest text in characters, or largest number. */
  max?: number
  /** Fewest choices, or smallest number. */
  min?: number
  options?: { value: string; label: string }[]
  default?: unknown
  autocomplete?: string
  inputMode?: string
  /** Said when the value is missing or not acceptable. */
  message: string
}

export interface FormSchema {
  form: string
  /** Name of the function that receives it. */
  function: string
  /** Name on the wire of the field that only robots fill. */
  honeypot: string
  fields: FieldSchema[]
}

export type Values = Record<string, unknown>

export function fieldOf(schema: FormSchema, name: string): FieldSchema {
  const field = schema.fields.find((candidate) => candidate.name === name)
  if (!field) throw new Error(`The form "${schema.form}" has no field "${name}"`)
  return field
}

/** The label behind a stored value, or the value itself when it is none of the options. */
export function optionLabel(schema: FormSchema, name: string, value: string): string {
  return fieldOf(schema, name).options?.find((option) => option.value === value)?.label ?? value
}

/** What a new form holds: defaults where the schema has them, else empty. */
export function emptyValues(schema: FormSchema): Values {
  return Object.fromEntries(schema.fields.map((field) => [field.name, field.default ?? (field.type === 'choices' ? [] : '')]))
}
