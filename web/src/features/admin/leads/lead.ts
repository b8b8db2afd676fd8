/** Leads of all forms in one shape. The forms' own descriptions say how their fields are called. */
import contact from '@functions/submit-contact/contact.form.json'
import newsletter from '@functions/submit-newsletter/newsletter.form.json'
import quickStart from '@functions/submit-quote/quick-start.form.json'
import quote from '@functions/submit-quote/quote.form.json'
import type { Row } from '@/lib/rows'

export type FormName = 'quote' | 'quick-start' | 'contact' | 'newsletter'
export type LeadTable = 'quote_requests' | 'contact_messages' | 'newsletter_subscriptions'
export type LeadStatus = 'new' | 'handled'

interface FormDescription {
  function: string
  honeypot: string
  fields: { name: string; label: string; options?: { value: string; label: string }[] }[]
}

export const forms: Record<FormName, { label: string; table: LeadTable; description: FormDescription }> = {
  quote: { label: 'Quote request', table: 'quote_requests', description: quote },
  'quick-start': { label: 'Quick Start', table: 'quote_requests', description: quickStart },
  contact: { label: 'Contact message', table: 'contact_messages', description: contact },
  newsletter: { label: 'Newsletter', table: 'newsletter_subscriptions', description: newsletter },
}

export const formNames = Object.keys(forms) as FormName[]

export type LeadRow =
  | ({ form: 'quote' | 'quick-start' } & Row<'quote_requests'>)
  | ({ form: 'contact' } & Row<'contact_messages'>)
  | ({ form: 'newsletter' } & Row<'newsletter_subscriptions'>)

export interface Lead {
  id: string
  form: FormName
  status: LeadStatus
  createdAt: string
  name: string
  email: string
  phone: string
  /** Facility, subject, or nothing. */
  about: string
  /** Asks for an answer before the others. */
  pressing: string
  /** The row as it is stored. */
  row: LeadRow
}

const PRESSING: Record<string, string> = { emergency: 'Emergency', urgent: 'Urgent', high: 'High' }

export function leadOf(row: LeadRow): Lead {
  const common = { id: row.id, form: row.form, status: row.status as LeadStatus, createdAt: row.created_at, email: row.email, row }
  switch (row.form) {
    case 'contact':
      return { ...common, name: row.name, phone: row.phone ?? '', about: row.subject, pressing: PRESSING[row.priority] ?? '' }
    case 'newsletter':
      return { ...common, name: `${row.first_name} ${row.last_name}`, phone: '', about: '', pressing: '' }
    default:
      return { ...common, name: row.contact_name, phone: row.phone, about: row.facility_name, pressing: PRESSING[row.contact_priority ?? ''] ?? '' }
  }
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What was filled in, as label and words; `named` turns a field's name into the key of `values`. */
function filled(form: FormName, values: Record<string, unknown>, named: (name: string) => string): [string, string][] {
  return forms[form].description.fields.flatMap(({ name, label, options }): [string, string][] => {
    const value = values[named(name)]
    if (value === null || value === undefined || value === '' || typeof value === 'boolean') return []
    const words = (Array.isArray(value) ? value : [value]).map((one) => options?.find((option) => option.value === one)?.label ?? String(one))
    return words.length > 0 ? [[label, words.join(', ')]] : []
  })
}

/** The number that the sender was told, see features/forms/request-number.ts: the beginning of the key. */
export function numberOf({ row }: Lead): [string, string][] {
  const [, digits] = /^([0-9a-f]{8})-/.exec('idempotency_key' in row ? String(row.idempotency_key) : '') ?? []
  return digits ? [['Request number', `UMW-${digits.toUpperCase()}`]] : []
}

/** A stored lead's answers. */
export const detailsOf = ({ form, row }: Lead) => filled(form, row as Record<string, unknown>, snakeCase)

export interface Held {
  id: string
  form: FormName
  reason: string
  receivedAt: string
  releasedAt: string | null
  /** The body as it was sent. */
  payload: Record<string, unknown>
}

export const heldOf = (row: Row<'quarantine'>): Held => ({
  id: row.id,
  form: row.form as FormName,
  reason: row.reason,
  receivedAt: row.received_at,
  releasedAt: row.released_at,
  payload: (row.payload ?? {}) as Record<string, unknown>,
})

/** What a held submission says, the trap's own field included: it is why it is here. */
export function heldDetails({ form, payload }: Held): [string, string][] {
  const { honeypot } = forms[form].description
  const trap = payload[honeypot]
  return [...filled(form, payload, (name) => name), ...(trap ? [['Hidden field', String(trap)] as [string, string]] : [])]
}
