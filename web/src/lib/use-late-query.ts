/**
 * A question whose answer came with the page: the library that asks, remembers and tries again is fetched with the first
 * question that was not answered so. Most who read a list or an article never need it.
 */
import type { QueryObserver, QueryObserverOptions } from '@tanstack/react-query'
import { useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { preloadClient } from './lazy-client'
import { bring, serverDataAt, takeBrought } from './server-data'

type Queries = typeof import('./queries')
let queries: Queries | undefined

async function loadQueries(): Promise<Queries | undefined> {
  // Side by side: the question itself needs the client.
  preloadClient().catch(() => undefined)
  // Undefined while the page is about to be loaded anew, see page-updates.ts.
  queries ??= (await import('./queries')) as Queries | undefined
  for (const { queryKey, data } of queries ? takeBrought() : []) queries?.remember(queryKey, data, serverDataAt())
  return queries
}

/** For whoever is about to ask: without the code a question fails by itself, and says so then. */
export const expectQuestion = () => void loadQueries().catch(() => undefined)

/** As long as the library itself takes an answer for fresh. */
const FRESH_MS = 30_000

interface Question<T> {
  queryKey: readonly unknown[]
  queryFn: () => Promise<T>
  /** What came with the page; asked for once for each key. */
  served?: () => T | undefined
  /** How long an answer holds. */
  staleTime?: number
  enabled?: boolean
  /** Shows the former answer until the next one is there. */
  keep?: boolean
}

interface Answer<T> {
  data: T | undefined
  error: Error | null
  isError: boolean
  isPending: boolean
  /** The data is the former question's. */
  isPlaceholderData: boolean
}

export function useLateQuery<T>({ queryKey, queryFn, served: read, staleTime = FRESH_MS, enabled = true, keep = false }: Question<T>): Answer<T> {
  const key = JSON.stringify(queryKey)
  // oxlint-disable-next-line react/exhaustive-deps -- the key stands for all of it
  const served = useMemo(() => read?.(), [key])
  const shown = useRef<T>(undefined)
  const options: QueryObserverOptions<T> = {
    queryKey,
    queryFn,
    enabled,
    staleTime,
    ...(served === undefined ? {} : { initialData: served as never, initialDataUpdatedAt: serverDataAt() }),
    ...(keep ? { placeholderData: ((former: T | undefined) => former ?? shown.current) as never } : {}),
  }
  const [observer, setObserver] = useState<QueryObserver<T> | null>(() => queries?.observe(options) ?? null)
  const [failed, setFailed] = useState<{ key: string; error: Error } | null>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
    observer?.setOptions(options)
  })
  useEffect(() => {
    if (!observer) return undefined
    const end = observer.subscribe(redraw)
    redraw() // for what came since it was drawn
    return end
  }, [observer])
  useEffect(() => {
    if (served !== undefined && !queries) bring({ queryKey: latest.current.queryKey ?? [], data: served })
  }, [served])

  const wanted = enabled && observer === null && (served === undefined || Date.now() - serverDataAt() > staleTime)
  useEffect(() => {
    if (!wanted) return
    let current = true
    loadQueries().then(
      (loaded) => {
        if (current && loaded) setObserver(loaded.observe(latest.current))
      },
      (error: unknown) => {
        console.error('What asks for data could not be loaded:', error)
        if (current) setFailed({ key, error: error as Error })
      },
    )
    return () => {
      current = false
    }
  }, [wanted, key])

  const answer = observer && queries ? queries.known(observer, options) : before(served ?? (keep ? shown.current : undefined), served === undefined, failed?.key === key ? failed.error : null)
  useEffect(() => {
    if (answer.data !== undefined) shown.current = answer.data
  }, [answer.data])
  return answer
}

/** The answer while nothing asks yet. */
function before<T>(data: T | undefined, former: boolean, error: Error | null): Answer<T> {
  if (error) return { data: undefined, error, isError: true, isPending: false, isPlaceholderData: false }
  return { data, error, isError: false, isPending: data === undefined, isPlaceholderData: former && data !== undefined }
}
