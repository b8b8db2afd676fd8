/** What a visitor has typed, kept for this tab, so that a reload or a failure costs nothing. */
import { uuid } from '@/lib/uuid'
import type { Values } from './schema'

interface Attempt {
  /** The exact body that was sent. */
  body: string
  key: string
}

const storageKey = (form: string, part: 'values' | 'attempt') => `umw:form:${form}:${part}`

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

export const readDraft = (form: string): Values | null => read<Values>(storageKey(form, 'values'))
export const writeDraft = (form: string, values: Values): void => write(storageKey(form, 'values'), values)

export function clearDraft(form: string): void {
  try {
    sessionStorage.removeItem(storageKey(form, 'values'))
    sessionStorage.removeItem(storageKey(form, 'attempt'))
  } catch {
    // See write().
  }
}

/** The same key for the same content, a new one once the content differs from the last attempt. */
export function idempotencyKey(form: string, body: Values): string {
  const text = JSON.stringify(body)
  const last = read<Attempt>(storageKey(form, 'attempt'))
  if (last?.body === text) return last.key
  const attempt: Attempt = { body: text, key: uuid() }
  write(storageKey(form, 'attempt'), attempt)
  return attempt.key
}
