/**
 * What the scenarios run in: a client maker, a recorder of requests, and a server that is only a function.
 * Both clients meet the same answers, so that their requests and results can be compared.
 */

import { createClient as createOfficial } from '@supabase/supabase-js'
import { createClient as createOurs, type JWK, type SupabaseClient, type SupabaseClientOptions } from '../src/index.js'
import type { Database } from './database.types.js'

export type Client = SupabaseClient<Database>
export type CreateClient = (url: string, key: string, options?: SupabaseClientOptions<'public'>) => Client

export const clients: Record<'ours' | 'official', CreateClient> = {
  ours: createOurs<Database>,
  // Typed as ours: surface.test-d.ts is what holds the two types together.
  official: createOfficial as unknown as CreateClient,
}

/** One request; `at` is in milliseconds since 1970. */
export type Recorded = { at: number; method: string; url: string; headers: Record<string, string>; body: unknown }

export type Answer = Response | Promise<Response>
export type Server = (request: Recorded) => Answer

/** Text stays text, a form becomes its fields, anything else its bytes: all comparable. */
async function bodyOf(body: unknown): Promise<unknown> {
  if (body === undefined || body === null) return null
  if (typeof body === 'string') return body
  if (body instanceof FormData) return [...body.entries()]
  if (body instanceof Blob) return [...new Uint8Array(await body.arrayBuffer())]
  if (body instanceof ArrayBuffer) return [...new Uint8Array(body)]
  return body
}

/** A fetch that notes what it was asked and answers with `server`; an aborted signal rejects as a real one does. */
export function recorder(server: Server): { fetch: typeof fetch; requests: Recorded[] } {
  const requests: Recorded[] = []
  const recording = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const request: Recorded = {
      at: Date.now(),
      method: init.method ?? 'GET',
      url: String(input),
      headers: Object.fromEntries(new Headers(init.headers)),
      body: await bodyOf(init.body),
    }
    requests.push(request)
    const aborted = new Promise<never>((_, reject) => {
      const abort = () => reject(new DOMException('This operation was aborted', 'AbortError'))
      if (init.signal?.aborted) abort()
      init.signal?.addEventListener('abort', abort)
    })
    return Promise.race([Promise.resolve().then(() => server(request)), aborted])
  }
  return { fetch: recording as typeof fetch, requests }
}

/** An unsigned token that both clients can read; times in seconds. */
export function fakeJwt(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.${Buffer.from('signature').toString('base64url')}`
}

/** A token signed with a key pair made here, and its public key. `alg` is ES256 or RS256. */
export async function signedJwt(alg: 'ES256' | 'RS256', claims: Record<string, unknown>): Promise<{ token: string; key: JWK }> {
  const algorithm =
    alg === 'ES256'
      ? { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
      : { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
  const pair = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg, kid: alg, typ: 'JWT' })}.${part(claims)}`
  const signature = await crypto.subtle.sign(algorithm, pair.privateKey, new TextEncoder().encode(signed))
  const key = { ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: alg } as JWK
  return { token: `${signed}.${Buffer.from(signature).toString('base64url')}`, key }
}

export const USER = {
  id: '6f1f3f0e-8a0c-4d4e-9a55-0c2a2d1d9b11',
  aud: 'authenticated',
  role: 'authenticated',
  email: 'ada@example.test',
  app_metadata: { provider: 'email' },
  user_metadata: {},
  created_at: '2026-01-02T03:04:05.678Z',
  factors: [],
}

/** A session as the auth server sends it; `lifetime` in seconds from now. */
export function fakeSession(lifetime = 3600, name = 'one'): Record<string, any> {
  const now = Math.floor(Date.now() / 1000)
  return {
    access_token: fakeJwt({ sub: USER.id, exp: now + lifetime, iat: now, aal: 'aal1', name }),
    token_type: 'bearer',
    expires_in: lifetime,
    expires_at: now + lifetime,
    refresh_token: `refresh-${name}`,
    user: USER,
  }
}

export const json = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(body), {
    statusText: 'OK',
    ...init,
    headers: { 'Content-Type': 'application/json', ...(init.headers as Record<string, string>) },
  })

/** An error of the auth server, of the dated kind. */
export const authError = (status: number, code: string, message: string): Response =>
  json({ code, message }, { status, headers: { 'X-Supabase-Api-Version': '2024-01-01' } })

/** The answers that most scenarios need; one that needs others brings its own `server`. */
export const defaultServer: Server = ({ method, url }) => {
  const { pathname, searchParams } = new URL(url)
  if (pathname === '/auth/v1/token' || pathname === '/auth/v1/signup' || pathname === '/auth/v1/verify') return json(fakeSession())
  if (pathname === '/auth/v1/user' || /^\/auth\/v1\/admin\/users(\/[^/]*)?$/.test(pathname)) return json(USER)
  if (pathname === '/auth/v1/logout') return new Response(null, { status: 204, statusText: 'No Content' })
  if (pathname.startsWith('/auth/v1/')) return json({ message_id: 'm1' })
  if (pathname.startsWith('/functions/v1/')) return json({ ok: true })
  if (method === 'POST' || method === 'PATCH' || method === 'DELETE') {
    if (!searchParams.has('select')) return new Response(null, { status: method === 'POST' ? 201 : 204, statusText: 'Done' })
  }
  return json([{ id: 1 }, { id: 2 }], { headers: { 'Content-Range': '0-1/7' } })
}

/** A session store that the test can look into. */
export function visibleStorage(initial: Record<string, string> = {}) {
  const items: Record<string, string> = { ...initial }
  return {
    items,
    getItem: (key: string) => items[key] ?? null,
    setItem: (key: string, value: string) => void (items[key] = value),
    removeItem: (key: string) => void delete items[key],
  }
}

/** A result as plain data: errors by their fields, responses by status, so that two can be compared. */
export function plain(value: unknown): unknown {
  if (value instanceof Response) return { response: value.status }
  if (value instanceof Error) {
    const fields = Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__isAuthError'))
    return plain({ ...fields, name: value.name, message: value.message })
  }
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]))
  return value
}
