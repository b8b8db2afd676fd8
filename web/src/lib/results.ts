/** One error for every request of the site, with the server's code. */

/** A request that failed; `code` is the server's (`PGRST116`, `23505`, …) and '' when no server answered. */
export class RequestError extends Error {
  readonly code: string
  /** HTTP status, 0 when no server answered. */
  readonly status: number

  constructor(message: string, code: string, status: number) {
    super(message)
    this.name = 'RequestError'
    this.code = code
    this.status = status
  }
}

interface Result {
  data: unknown
  error: { message: string; code?: string } | null
  status: number
}

/** The data of a result; throws a RequestError where the result holds one. */
export function dataOf<R extends Result>(result: R): Extract<R, { error: null }>['data'] {
  if (result.error === null) return result.data
  const { message, code = '' } = result.error
  // Without a code it is no answer of the table API but, say, a proxy's page, of which nobody could make anything.
  const foreign = code === '' && result.status > 0
  throw new RequestError(foreign ? '' : message, code, result.status)
}
