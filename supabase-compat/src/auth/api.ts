/** One request to the auth server. In: method, path, body. Out: the JSON, or a thrown AuthError. */

import {
  AuthApiError,
  AuthRetryableFetchError,
  AuthSessionMissingError,
  AuthUnknownError,
  AuthWeakPasswordError,
} from '../errors.js'
import type { AuthError } from '../errors.js'
import type { Fetch } from '../types.js'
import type { Session, User } from './types.js'

export type AuthApi = { url: string; headers: Record<string, string>; fetch: Fetch }

export type AuthRequest = {
  body?: object | undefined
  /** Sent as the bearer instead of the key. */
  jwt?: string | undefined
  redirectTo?: string | undefined
  query?: Record<string, string>
  /** Answer with the Response itself. */
  raw?: boolean
}

const VERSION_HEADER = 'X-Supabase-Api-Version'
const VERSION = '2024-01-01'

/** Answers of the infrastructure, not of the auth server: they say nothing about the session. */
const isInfrastructure = (status: number) => (status >= 500 && status <= 504) || (status >= 520 && status <= 530)

/** The server has spelt its message in four ways over the years. */
function messageOf(body: any): string {
  const text = [body?.msg, body?.message, body?.error_description, body?.error].find((part) => typeof part === 'string')
  return text ?? JSON.stringify(body)
}

/** The error a refusal stands for. Servers of version 2024-01-01 put its code in `code`, older ones in `error_code`. */
async function refusal(response: Response): Promise<AuthError> {
  const { status, headers } = response
  // The official client reads the message off the Response object, which has none.
  if (isInfrastructure(status)) return new AuthRetryableFetchError('{}', status)
  let body: any
  try {
    body = await response.json()
  } catch (error) {
    return new AuthUnknownError(messageOf(error), error)
  }
  const dated = (headers.get(VERSION_HEADER) ?? '') >= VERSION && typeof body?.code === 'string'
  const code: string | undefined = dated ? body.code : typeof body?.error_code === 'string' ? body.error_code : undefined
  const reasons = body?.weak_password?.reasons
  if (code === 'weak_password' || (!code && reasons?.length))
    return new AuthWeakPasswordError(messageOf(body), status, reasons ?? [])
  // The token names a session that has ended elsewhere.
  if (code === 'session_not_found') return new AuthSessionMissingError()
  return new AuthApiError(messageOf(body), status, code)
}

export async function send(
  api: AuthApi,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, jwt, redirectTo, query, raw }: AuthRequest = {},
): Promise<any> {
  const params = new URLSearchParams({ ...query, ...(redirectTo && { redirect_to: redirectTo }) }).toString()
  let response: Response
  try {
    response = await api.fetch(api.url + path + (params && `?${params}`), {
      method,
      headers: {
        ...(method !== 'GET' && { 'Content-Type': 'application/json;charset=UTF-8' }),
        [VERSION_HEADER]: VERSION,
        ...api.headers,
        ...(jwt && { Authorization: `Bearer ${jwt}` }),
      },
      ...(method !== 'GET' && body && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    throw new AuthRetryableFetchError(messageOf(error), 0)
  }
  if (!response.ok) throw await refusal(response)
  if (raw) return response
  try {
    return await response.json()
  } catch (error) {
    throw new AuthRetryableFetchError(messageOf(error), 0)
  }
}

/** A session is in the body only when all of it is; `expires_at` is worked out for servers that leave it out. */
export function sessionOf(body: any): { user: User | null; session: Session | null } {
  const complete = body.access_token && body.refresh_token && body.expires_in
  const session = complete
    ? { ...body, expires_at: body.expires_at || Math.round(Date.now() / 1000) + body.expires_in }
    : null
  return { session, user: body.user ?? (typeof body.id === 'string' ? body : null) }
}
