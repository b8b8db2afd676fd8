/** What a visitor has typed, kept for this tab, so that a reload or a failure costs nothing. */
import { uuid } from '@/lib/uuid'
import { type FormSchema, type Values, emptyValues } from './schema'

interface Attempt {
  /** The exact body that was sent. */
  body: string
  key: string
}

const storageKey = (form: string, part: 'values' | 'attempt' | 'waiting') => `umw:form:${form}:${part}`

function read<T>(key: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as T | null
  } catch {
    return null
  }
}

function write(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Storage may be full or switched off; the form then lives as long as the page.
  }
}

/** What was kept, as far as the form has such fields: a tab may have it from an earlier version of the site. */
export function readDraft(schema: FormSchema): Values | null {
  const kept = read<unknown>(storageKey(schema.form, 'values'))
  if (typeof kept !== 'object' || kept === null) return null
  const known = Object.entries(emptyValues(schema)).flatMap(([name, empty]) => {
    const value: unknown = (kept as Values)[name]
    return typeof value === typeof empty && Array.isArray(value) === Array.isArray(empty) ? [[name, value] as const] : []
  })
  return Object.fromEntries(known)
}
export const writeDraft = (form: string, values: Values): void => write(storageKey(form, 'values'), values)

export function clearDraft(form: string): void {
  try {
    sessionStorage.removeItem(storageKey(form, 'values'))
    sessionStorage.removeItem(storageKey(form, 'attempt'))
    sessionStorage.removeItem(storageKey(form, 'waiting'))
  } catch {
    // See write().
  }
}

/** Whether it was sent without a connection, and goes as soon as there is one. */
export const readWaiting = (form: string): boolean => read<boolean>(storageKey(form, 'waiting')) === true
export const writeWaiting = (form: string, waiting: boolean): void => write(storageKey(form, 'waiting'), waiting)

/** The same key for the same content, a new one once the content differs from the last attempt. */
export function idempotencyKey(form: string, body: Values): string {
  const text = JSON.stringify(body)
  const last = read<Attempt>(storageKey(form, 'attempt'))
  if (last?.body === text) return last.key
  const attempt: Attempt = { body: text, key: uuid() }
  write(storageKey(form, 'attempt'), attempt)
  return attempt.key
}
