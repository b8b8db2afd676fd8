/**
 * Calls of functions over HTTP. In: a name and a body of any kind. Out: `{ data, error, response? }`, never a throw.
 * Contract: functions §2 (bodies) and §3 (answers and errors).
 */

import { FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from '../errors.js'
import { withDeadline } from '../fetch.js'
import type { Fetch } from '../types.js'

/** Where a hosted function should run; a single gateway has one place and ignores it. */
export const FunctionRegion = {
  Any: 'any',
  ApNortheast1: 'ap-northeast-1',
  ApNortheast2: 'ap-northeast-2',
  ApSouth1: 'ap-south-1',
  ApSoutheast1: 'ap-southeast-1',
  ApSoutheast2: 'ap-southeast-2',
  CaCentral1: 'ca-central-1',
  EuCentral1: 'eu-central-1',
  EuWest1: 'eu-west-1',
  EuWest2: 'eu-west-2',
  EuWest3: 'eu-west-3',
  SaEast1: 'sa-east-1',
  UsEast1: 'us-east-1',
  UsWest1: 'us-west-1',
  UsWest2: 'us-west-2',
} as const
export type FunctionRegion = (typeof FunctionRegion)[keyof typeof FunctionRegion]

export type FunctionInvokeOptions = {
  headers?: { [key: string]: string }
  /** Default POST. */
  method?: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE'
  region?: FunctionRegion
  body?: File | Blob | ArrayBuffer | FormData | ReadableStream<Uint8Array> | Record<string, any> | string
  signal?: AbortSignal
  /** Milliseconds until the call is aborted. */
  timeout?: number
}

export interface FunctionsResponseSuccess<T> {
  data: T
  error: null
  response?: Response
}

export interface FunctionsResponseFailure {
  data: null
  error: any
  response?: Response
}

export type FunctionsResponse<T> = FunctionsResponseSuccess<T> | FunctionsResponseFailure

const isBinary = (body: unknown) => body instanceof Blob || body instanceof ArrayBuffer

/** The body as fetch takes it, and the content type it implies; fetch itself writes that of a form. */
function encodeBody(body: any): { payload: any; type?: string } {
  if (!body) return { payload: body }
  if (typeof body === 'string') return { payload: body, type: 'text/plain' }
  if (isBinary(body)) return { payload: body, type: 'application/octet-stream' }
  if (body instanceof FormData) return { payload: body }
  return { payload: JSON.stringify(body), type: 'application/json' }
}

/** Reads an answer by its content type; a stream of events is left for the caller to read. */
async function decodeBody(response: Response): Promise<any> {
  const type = (response.headers.get('Content-Type') ?? 'text/plain').split(';')[0]!.trim()
  if (type === 'application/json') return response.json()
  if (type === 'application/octet-stream' || type === 'application/pdf') return response.blob()
  if (type === 'text/event-stream') return response
  if (type === 'multipart/form-data') return response.formData()
  return response.text()
}

export class FunctionsClient {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #fetch: Fetch

  /** `headers` is shared with the client that made this one, so that `setAuth` outlives the property access. */
  constructor(url: string, headers: Record<string, string>, fetch: Fetch) {
    this.#url = url
    this.#headers = headers
    this.#fetch = fetch
  }

  /** Sends `token` with every later call, instead of the session's. */
  setAuth(token: string): void {
    this.#headers.Authorization = `Bearer ${token}`
  }

  async invoke<T = any>(functionName: string, options: FunctionInvokeOptions = {}): Promise<FunctionsResponse<T>> {
    const { headers, method = 'POST', body, region, signal, timeout } = options
    try {
      const url = new URL(`${this.#url}/${functionName}`)
      const computed: Record<string, string> = {}
      if (region && region !== 'any') {
        computed['x-region'] = region
        url.searchParams.set('forceFunctionRegion', region)
      }
      const { payload, type } = encodeBody(body)
      if (type && !new Headers(headers).has('Content-Type')) computed['Content-Type'] = type

      return await withDeadline(timeout || undefined, signal, async (over) => {
        const response = await this.#fetch(url.toString(), {
          method,
          headers: { ...computed, ...this.#headers, ...headers },
          body: payload,
          signal: over,
        }).catch((cause) => {
          throw new FunctionsFetchError(cause)
        })
        // The relay's mark counts before the status: its own answer may well be a 2xx.
        if (response.headers.get('x-relay-error') === 'true') throw new FunctionsRelayError(response)
        if (!response.ok) throw new FunctionsHttpError(response)
        return { data: await decodeBody(response), error: null, response }
      })
    } catch (error: any) {
      const { context } = error
      return { data: null, error, response: context instanceof Response ? context : undefined } as FunctionsResponseFailure
    }
  }
}
