/**
 * A table request as a promise-like value: nothing is sent until it is awaited.
 * In: method, URL, headers, body. Out: `{ success, data, error, count, status, statusText }`.
 */

import { PostgrestError } from '../errors.js'
import { sleep } from '../fetch.js'
import type { ClientServerOptions, Fetch } from '../types.js'
import type { Overridden, PostgrestResponseSuccess, PostgrestSingleResponse, Replaced } from './types.js'

export type RestMethod = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'

/** All that is known of a request before it is sent. */
export type RestRequest = {
  method: RestMethod
  url: URL
  headers: Headers
  schema: string | undefined
  fetch: Fetch
  body?: unknown
}

const MAX_RETRIES = 3
const SINGLE = 'application/vnd.pgrst.object+json'

type Outcome = {
  success: boolean
  error: any
  data: any
  count: number | null
  status: number
  statusText: string
}

/** Reads only: asking twice for the same rows changes nothing. */
const isSafe = (method: RestMethod) => method === 'GET' || method === 'HEAD'

const isAbort = (error: any) => error?.name === 'AbortError' || error?.code === 'ABORT_ERR'

/** 1 s, 2 s, 4 s, unless the server named its own delay in seconds. */
function retryDelay(attempt: number, retryAfter: string | null): number {
  return retryAfter === null ? 1000 * 2 ** attempt : Math.max(0, parseInt(retryAfter) || 0) * 1000
}

/** bigint has no JSON form; its digits as a string do, and Postgres reads them. */
const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

/** A request that got no answer, in the shape of a server's error. */
function unanswered(failure: any): Outcome {
  const cause = failure?.cause
  return {
    success: false,
    error: {
      message: `${failure?.name ?? 'FetchError'}: ${failure?.message}`,
      details: [failure?.stack, cause && `Caused by: ${cause.stack ?? cause}`].filter(Boolean).join('\n\n'),
      hint: isAbort(failure) ? 'Request was aborted (timeout or manual cancellation)' : '',
      code: '',
    },
    data: null,
    count: null,
    status: 0,
    statusText: '',
  }
}

function parseJson(text: string): { value: any } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

export class PostgrestBuilder<
  ClientOptions extends ClientServerOptions,
  Result,
  ThrowOnError extends boolean = false,
> implements PromiseLike<ThrowOnError extends true ? PostgrestResponseSuccess<Result> : PostgrestSingleResponse<Result>> {
  // Carries the server's facts through the chain of types; never present at run time.
  declare protected readonly clientOptions: ClientOptions

  protected readonly request: RestRequest
  protected signal?: AbortSignal
  protected isMaybeSingle = false
  #throws = false
  #stripsNulls = false
  #retries = true

  constructor(request: RestRequest) {
    this.request = request
  }

  /** Rejects with a `PostgrestError` instead of answering with `error`. */
  throwOnError(): PostgrestBuilder<ClientOptions, Result, true> {
    this.#throws = true
    return this as any
  }

  /** Leaves properties whose value is null out of the rows. */
  stripNulls(): this {
    if (this.request.headers.get('Accept') === 'text/csv') throw new Error('stripNulls() cannot be used with csv()')
    this.#stripsNulls = true
    return this
  }

  /** Sets a header of this request alone. */
  setHeader(name: string, value: string): this {
    this.request.headers.set(name, value)
    return this
  }

  /** Turns repeating of reads (503, 520, no answer) off or on; on by default. */
  retry(enabled: boolean): this {
    this.#retries = enabled
    return this
  }

  /** @deprecated Use `overrideTypes<New, { merge: false }>()`. */
  returns<NewResult>(): PostgrestBuilder<ClientOptions, Replaced<Result, NewResult>, ThrowOnError> {
    return this as any
  }

  /** Corrects the type of `data`: merged with what is known, or instead of it with `{ merge: false }`. */
  overrideTypes<NewResult, Options extends { merge?: boolean } = { merge: true }>(): PostgrestBuilder<
    ClientOptions,
    Overridden<Result, NewResult, Options>,
    ThrowOnError
  > {
    return this as any
  }

  then<
    Fulfilled = ThrowOnError extends true ? PostgrestResponseSuccess<Result> : PostgrestSingleResponse<Result>,
    Rejected = never,
  >(
    onfulfilled?:
      | ((
          value: ThrowOnError extends true ? PostgrestResponseSuccess<Result> : PostgrestSingleResponse<Result>,
        ) => Fulfilled | PromiseLike<Fulfilled>)
      | null,
    onrejected?: ((reason: any) => Rejected | PromiseLike<Rejected>) | null,
  ): PromiseLike<Fulfilled | Rejected> {
    const answer = this.#send().then((response) => this.#read(response))
    const result = this.#throws ? answer : answer.catch(unanswered)
    return (result as Promise<any>).then(onfulfilled, onrejected)
  }

  #finalHeaders(): Headers {
    const { method, schema } = this.request
    const headers = new Headers(this.request.headers)
    if (schema !== undefined) headers.set(isSafe(method) ? 'Accept-Profile' : 'Content-Profile', schema)
    if (!isSafe(method)) headers.set('Content-Type', 'application/json')
    if (this.#stripsNulls) {
      const accept = headers.get('Accept')
      if (accept === SINGLE) headers.set('Accept', `${SINGLE};nulls=stripped`)
      else if (!accept || accept === 'application/json')
        headers.set('Accept', 'application/vnd.pgrst.array+json;nulls=stripped')
    }
    return headers
  }

  async #send(): Promise<Response> {
    const { method, url, body, fetch } = this.request
    const headers = this.#finalHeaders()
    for (let attempt = 0; ; attempt++) {
      const last = !this.#retries || !isSafe(method) || attempt >= MAX_RETRIES
      let retryAfter: string | null = null
      try {
        if (attempt) headers.set('X-Retry-Count', `${attempt}`)
        const response = await fetch(url.toString(), {
          method,
          headers,
          body: JSON.stringify(body, bigintAsText),
          signal: this.signal ?? null,
        })
        if (last || (response.status !== 503 && response.status !== 520)) return response
        retryAfter = response.headers.get('Retry-After')
        await response.text()
      } catch (error) {
        if (last || isAbort(error)) throw error
      }
      await sleep(retryDelay(attempt, retryAfter), this.signal)
    }
  }

  async #read(response: Response): Promise<Outcome> {
    const { method, headers } = this.request
    let { status, statusText } = response
    let error: any = null
    let data: any = null
    let count: number | null = null

    if (response.ok) {
      const accept = headers.get('Accept') ?? ''
      const body = method === 'HEAD' ? '' : await response.text()
      if (accept === 'text/csv' || accept.includes('application/vnd.pgrst.plan+text')) {
        data = body || null
      } else if (body) {
        const parsed = parseJson(body)
        if (parsed) data = parsed.value
        else if (this.#throws) throw new PostgrestError({ message: body, details: '', hint: '', code: '' })
        else error = { message: body }
      }
      const total = response.headers.get('content-range')?.split('/')[1]
      if (total !== undefined && /count=(exact|planned|estimated)/.test(headers.get('Prefer') ?? '')) count = parseInt(total)
      if (this.isMaybeSingle && Array.isArray(data)) {
        // Reported even under throwOnError(), as the official client does.
        if (data.length > 1) {
          error = {
            code: 'PGRST116',
            details: `Results contain ${data.length} rows, application/vnd.pgrst.object+json requires 1 row`,
            hint: null,
            message: 'JSON object requested, multiple (or no) rows returned',
          }
          data = count = null
          status = 406
          statusText = 'Not Acceptable'
        } else data = data[0] ?? null
      }
    } else {
      const body = await response.text()
      const parsed = parseJson(body)
      error = parsed ? parsed.value : { message: body }
      // A 404 with rows or with nothing is an answer, not a failure: proxies turn empty lists into it.
      if (status === 404 && Array.isArray(error)) {
        data = []
        error = null
        status = 200
        statusText = 'OK'
      } else if (status === 404 && !body) {
        error = null
        status = 204
        statusText = 'No Content'
      }
      if (this.#throws && error) throw new PostgrestError(error)
    }
    return { success: error === null, error, data, count, status, statusText }
  }
}
