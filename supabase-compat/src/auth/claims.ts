/** Claims that can be believed: the signature is checked here, or the server is asked about the token. */

import type { AuthError } from '../errors.js'
import type { AuthContext } from './context.js'
import { AuthInvalidJwtError } from './errors.js'
import { decodeJwt } from './jwt.js'
import type { JWK, JwtHeader, JwtPayload } from './types.js'

/** Public keys are asked for again after this many milliseconds. */
const KEYS_TTL = 10 * 60 * 1000

// Shared by the clients of one page or process, as each request of a server makes a client of its own.
const cache = new Map<string, { keys: JWK[]; at: number }>()

const ALGORITHMS: Record<string, { name: string; hash: string; namedCurve?: string }> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
}

async function findKey(kid: string, given: JWK[], context: AuthContext): Promise<JWK | undefined> {
  const wanted = (key: JWK) => key.kid === kid
  const now = Date.now()
  const cached = cache.get(context.settings.storageKey)
  const known = given.find(wanted) ?? (cached && cached.at + KEYS_TTL > now ? cached.keys.find(wanted) : undefined)
  if (known) return known
  const { keys } = await context.send('GET', '/.well-known/jwks.json')
  if (!keys?.length) return undefined
  cache.set(context.settings.storageKey, { keys, at: now })
  return keys.find(wanted)
}

/** Throws AuthInvalidJwtError for a token that is malformed, expired or not signed by the server. */
export async function verifiedClaims(
  jwt: string,
  { keys, jwks, allowExpired }: { keys?: JWK[]; jwks?: { keys: JWK[] }; allowExpired?: boolean },
  context: AuthContext,
  getUser: (jwt: string) => Promise<{ error: AuthError | null }>,
): Promise<{ claims: JwtPayload; header: JwtHeader; signature: Uint8Array }> {
  const { header, payload, signature, signed } = decodeJwt(jwt)
  if (!allowExpired) {
    if (!payload.exp) throw new AuthInvalidJwtError('Missing exp claim')
    if (payload.exp <= Math.floor(context.sessions.now() / 1000)) throw new AuthInvalidJwtError('JWT has expired')
  }
  const asymmetric = header.alg && !header.alg.startsWith('HS') && header.kid && globalThis.crypto?.subtle
  const key = asymmetric ? await findKey(header.kid, keys ?? jwks?.keys ?? [], context) : undefined
  if (!key) {
    // A shared secret cannot be known here; the server vouches for the token instead.
    const { error } = await getUser(jwt)
    if (error) throw error
  } else {
    const algorithm = ALGORITHMS[header.alg]
    if (!algorithm) throw new Error('Invalid alg claim')
    const publicKey = await crypto.subtle.importKey('jwk', key, algorithm as EcKeyImportParams, true, ['verify'])
    if (!(await crypto.subtle.verify(algorithm, publicKey, signature, new TextEncoder().encode(signed))))
      throw new AuthInvalidJwtError('Invalid JWT signature')
  }
  return { claims: payload, header, signature }
}
