/** A gateway made of canned replies: the real client talks to it, so tests see the very requests of the site. */
import { vi } from 'vitest'

export interface Call {
  method: string
  /** Path and query as they were sent. */
  url: string
  path: string
  query: URLSearchParams
  headers: Headers
  /** Parsed JSON, or null without a body. */
  body: unknown
}

export interface Reply {
  status?: number
  body?: unknown
  headers?: Record<string, string>
}

export const PGRST116: Reply = {
  status: 406,
  body: { code: 'PGRST116', message: 'Cannot coerce the result to a single JSON object', details: 'The result contains 0 rows', hint: null },
}

type Answer = (call: Call) => Reply | undefined | Promise<Reply | undefined>

/** Replaces `fetch` until the test ends; what `answer` leaves undefined is a 404. Returns the calls as they come in. */
export function fakeGateway(answer: Answer): Call[] {
  const calls: Call[] = []
  window.__ENV__ = { SUPABASE_URL: '', SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_test' }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search, searchParams } = new URL(request.url)
    const text = await request.text()
    const call: Call = {
      method: request.method,
      url: pathname + search,
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: text === '' ? null : JSON.parse(text),
    }
    calls.push(call)
    const { status = 200, body, headers = {} } = (await answer(call)) ?? { status: 404, body: { code: 'PGRST205', message: 'no such fake' } }
    const hasBody = body !== undefined && status !== 204
    return new Response(hasBody ? JSON.stringify(body) : null, { status, headers: { 'content-type': 'application/json', ...headers } })
  })
  return calls
}

export const ADMIN_ID = '11111111-1111-4111-8111-111111111111'

/** A stored session, as a sign-in an hour ago would have left it. */
export function rememberSession(userId = ADMIN_ID, email = 'admin@example.com'): void {
  localStorage.setItem('sb-localhost-auth-token', JSON.stringify(sessionFor(userId, email)))
}

/** The body of a successful sign-in. */
export function sessionFor(userId = ADMIN_ID, email = 'admin@example.com') {
  return {
    access_token: 'header.payload.signature',
    refresh_token: 'refresh',
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: Math.floor(Date.now() / 1000) + 3600,
    user: { id: userId, email, aud: 'authenticated', role: 'authenticated', app_metadata: {}, user_metadata: {}, created_at: '2026-01-01T00:00:00Z' },
  }
}
