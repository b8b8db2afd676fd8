/** Requests to the console's own server. The session is a cookie; what a change needs besides is held in memory alone. */

export interface Problem {
  code: string
  message: string
  hint?: string | null
  details?: string | null
}

export class ApiError extends Error {
  readonly status: number
  readonly problem: Problem
  /** The whole answer: some refusals carry more than a sentence. */
  readonly body: unknown

  constructor(status: number, body: unknown) {
    const problem = readProblem(status, body)
    super(problem.message)
    this.status = status
    this.problem = problem
    this.body = body
  }
}

/** Errors of the console, of tables, of auth and of storage each name their parts differently. */
export function readProblem(status: number, body: unknown): Problem {
  const fields = isRecord(body) ? body : {}
  const text = (...names: string[]) => {
    for (const name of names) {
      const value = fields[name]
      if (typeof value === 'string' && value !== '') return value
    }
    return undefined
  }
  return {
    code: text('code', 'error_code', 'error', 'sqlstate') ?? String(status),
    message: text('message', 'msg', 'error_description', 'error') ?? `The server answered with status ${status}.`,
    hint: text('hint') ?? null,
    details: text('details', 'detail') ?? null,
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const API = '/_console/api/'

let token = ''
let signedOut: () => void = () => undefined

export function keepToken(value: string): void {
  token = value
}

/** Called when the server says that there is no session any more. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener
}

export interface Ask {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

function asBody(body: unknown): BodyInit | undefined {
  if (body === undefined) return undefined
  return body instanceof Blob ? body : JSON.stringify(body)
}

/** The answer itself, for streams and headers. Anything but a success is thrown. */
export async function request(path: string, { method = 'GET', body, headers = {}, signal }: Ask = {}): Promise<Response> {
  const response = await fetch(API + path, {
    method,
    signal,
    credentials: 'same-origin',
    body: asBody(body),
    headers: {
      // Every change asks for it, and whatever of the contract is passed on.
      ...(token === '' ? {} : { 'x-console-token': token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  if (response.ok) return response
  const answer: unknown = await response.json().catch(() => undefined)
  const error = new ApiError(response.status, answer)
  if (response.status === 401 && error.problem.code === 'no_session') signedOut()
  throw error
}

export async function api<T>(path: string, ask: Ask = {}): Promise<T> {
  const response = await request(path, ask)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Who asks: the service, nobody, or `user:UUID`. */
export type Viewer = string

/** One of the contract's own endpoints, as somebody. */
export async function contract<T>(path: string, ask: Ask & { as?: Viewer } = {}): Promise<T> {
  return api<T>(`proxy/${path}`, { ...ask, headers: { ...ask.headers, 'x-console-as': ask.as ?? 'service' } })
}

export async function contractResponse(path: string, ask: Ask & { as?: Viewer } = {}): Promise<Response> {
  return request(`proxy/${path}`, { ...ask, headers: { ...ask.headers, 'x-console-as': ask.as ?? 'service' } })
}

/** A query string out of what is set. */
export function query(values: Record<string, string | number | undefined | null>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== null && value !== '') params.set(name, String(value))
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}
