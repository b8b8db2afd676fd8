/** Proof that the browser which asked for a code is the one that redeems it (RFC 7636). */

import { verifierKey, writeJson } from './storage.js'
import type { SupportedStorage } from './types.js'

/** The two fields of a request body; both null outside the PKCE flow. */
export type Challenge = { code_challenge: string | null; code_challenge_method: string | null }

export const NO_CHALLENGE: Challenge = { code_challenge: null, code_challenge_method: null }

/**
 * Makes a verifier, stores it, and answers with its challenge. `plain` where the page has no WebCrypto, which
 * browsers keep from addresses without TLS. A recovery is marked, since the redirect does not say it is one.
 */
export async function startChallenge(storage: SupportedStorage, storageKey: string, recovery = false): Promise<Challenge> {
  const bytes = crypto.getRandomValues(new Uint8Array(56))
  const verifier = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  await writeJson(storage, verifierKey(storageKey), recovery ? `${verifier}/recovery` : verifier)
  if (!globalThis.crypto?.subtle) return { code_challenge: verifier, code_challenge_method: 'plain' }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  const challenge = btoa(String.fromCharCode(...digest)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
  return { code_challenge: challenge, code_challenge_method: 's256' }
}
