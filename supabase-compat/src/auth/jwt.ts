/** Reading a token without trusting it. */

import { AuthInvalidJwtError } from './errors.js'
import type { JwtHeader, JwtPayload } from './types.js'

export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0))
}

const jsonOf = (part: string) => JSON.parse(new TextDecoder().decode(bytesOf(part)))

/** Header, claims and signature of a JWT; AuthInvalidJwtError if it is none. The signature is not checked. */
export function decodeJwt(token: string): {
  header: JwtHeader
  payload: JwtPayload
  signature: Uint8Array<ArrayBuffer>
  /** What the signature covers. */
  signed: string
} {
  const [header, payload, signature, ...rest] = token.split('.')
  if (!header || !payload || signature === undefined || rest.length) throw new AuthInvalidJwtError('Invalid JWT structure')
  if (!/^[\w.-]*$/.test(token)) throw new AuthInvalidJwtError('JWT not in base64url format')
  return {
    header: jsonOf(header),
    payload: jsonOf(payload),
    signature: bytesOf(signature),
    signed: `${header}.${payload}`,
  }
}
