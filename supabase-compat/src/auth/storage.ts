/** Where a session is kept, and how values are written there: as JSON under the key of the official client. */

import type { SupportedStorage } from './types.js'

export const isBrowser = (): boolean => typeof window !== 'undefined' && typeof document !== 'undefined'

export function memoryStorage(): SupportedStorage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
}

/** localStorage if it can be written: private windows and blocked cookies make even the look at it throw. */
export function defaultStorage(): SupportedStorage {
  if (isBrowser()) {
    try {
      const probe = `lswt-${Math.random()}`
      localStorage.setItem(probe, probe)
      localStorage.removeItem(probe)
      return localStorage
    } catch {
      // Falls through: this page alone will know the session.
    }
  }
  return memoryStorage()
}

/** Where the PKCE flow leaves its secret between request and redirect. */
export const verifierKey = (storageKey: string): string => `${storageKey}-code-verifier`

/** Null for a missing and for an unreadable value alike: what cannot be read must not be written back. */
export async function readJson(storage: SupportedStorage, key: string): Promise<any> {
  const text = await storage.getItem(key)
  try {
    return text ? JSON.parse(text) : null
  } catch {
    return null
  }
}

export async function writeJson(storage: SupportedStorage, key: string, value: unknown): Promise<void> {
  await storage.setItem(key, JSON.stringify(value))
}
