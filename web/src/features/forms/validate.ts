/**
 * The rules of `*.form.json` for the browser. `functions/shared/forms.py` holds the same rules for the
 * server, and both are tested with the same tables of examples (`*.cases.json`).
 */
import type { FieldSchema, FormSchema, Values } from './schema'

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/
const TEL = /^[0-9+().\-/\s]+(?:(?:x|ext\.?)\s*[0-9]{1,6})?$/i
const TEL_DIGITS = { min: 10, max: 18 }
const ZIP = /^\d{5}(-\d{4})?$/
// What the server leaves out of a text: control characters but for breaks and tabs, and halves of surrogate pairs.
const UNSEEN = /(?![\t\n\r\u{80}-\u{9f}])[\p{Cc}\p{Cs}]/gu

/** Sentence per field that is missing or not acceptable; empty when the form may be sent. */
export function validate(schema: FormSchema, values: Values): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const field of schema.fields) {
    if (isShown(field, values) && !isAcceptable(field, values[field.name])) errors[field.name] = field.message
  }
  return errors
}

/** False while the condition of `requiredWhen` does not hold: the field is then hidden and ignored. */
export function isShown(field: FieldSchema, values: Values): boolean {
  if (!field.requiredWhen) return true
  return Object.entries(field.requiredWhen).some(([name, wanted]) => {
    const held = values[name]
    return wanted.some((value) => (Array.isArray(held) ? held.includes(value) : held === value))
  })
}

function isAcceptable(field: FieldSchema, value: unknown): boolean {
  if (isEmpty(value)) return !field.required
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && value >= (field.min ?? -Infinity) && value <= (field.max ?? Infinity)
    case 'choices':
      return Array.isArray(value) && value.length >= (field.min ?? 0) && value.every((item) => isOption(field, item))
    case 'choice':
      return isOption(field, value)
    default:
      return typeof value === 'string' && fits(field, visible(value))
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return visible(value) === ''
  return Array.isArray(value) && value.length === 0
}

const isOption = (field: FieldSchema, value: unknown) => field.options?.some((option) => option.value === value) ?? false

const visible = (text: string) => text.replace(UNSEEN, '').trim()

function fits(field: FieldSchema, text: string): boolean {
  // Code points, as the server counts them.
  if (field.max !== undefined && [...text].length > field.max) return false
  switch (field.type) {
    case 'email':
      return EMAIL.test(text)
    case 'tel': {
      const digits = text.replace(/\D/g, '').length
      return TEL.test(text) && digits >= TEL_DIGITS.min && digits <= TEL_DIGITS.max
    }
    case 'zip':
      return ZIP.test(text)
    default:
      return true
  }
}
