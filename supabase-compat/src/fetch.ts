/** Fetch with what every request needs: the project's key and the caller's token, unless already given. */

import type { Fetch } from './types.js'

/** Calls the page's own `fetch` without a receiver, and looks it up late so that it can be replaced. */
export const resolveFetch = (custom?: Fetch): Fetch =>
  custom ? (...args) => custom(...args) : (...args) => fetch(...args)

/** `token` may answer null, which means the key itself is the bearer. */
export function withCredentials(base: Fetch, key: string, token: () => Promise<string | null>): Fetch {
  return async (input, init) => {
    const bearer = (await token()) ?? key
    const headers = new Headers(init?.headers)
    if (!headers.has('apikey')) headers.set('apikey', key)
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${bearer}`)
    return base(input, { ...init, headers })
  }
}

/**
 * Runs `task` with a signal that aborts after `ms` milliseconds and whenever the caller's own does.
 * Without `ms` the caller's signal is handed on as it is.
 */
export async function withDeadline<T>(
  ms: number | undefined,
  outer: AbortSignal | null | undefined,
  task: (signal: AbortSignal | null) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return task(outer ?? null)
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  outer?.addEventListener('abort', abort)
  if (outer?.aborted) abort()
  try {
    return await task(controller.signal)
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', abort)
  }
}

/** Waits; an abort ends the wait early rather than failing it. */
export function sleep(ms: number, signal?: AbortSignal | null): Promise<unknown> {
  const ended = (over: AbortSignal | null) =>
    new Promise((resolve) => (over!.aborted ? resolve(null) : over!.addEventListener('abort', resolve)))
  return withDeadline(ms, signal, ended)
}
