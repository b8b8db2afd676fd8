/** What every request of the site shares: one cache, and one rule for trying again. */
import { QueryClient, QueryObserver, type QueryObserverOptions } from '@tanstack/react-query'
import { RequestError } from './results'
import { onSessionEnd } from './session-end'

/** Asking again helps against a lost connection or a busy server, never against a refusal. */
function mayRetry(failures: number, error: Error): boolean {
  const refused = error instanceof RequestError && error.status >= 400 && error.status < 500
  return failures < 1 && !refused
}

export const queryClient = new QueryClient({
  defaultOptions: {
    // Offline, a request should fail and say so instead of waiting behind a spinner.
    queries: { retry: mayRetry, staleTime: 30_000, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

// What was read with a session is nobody else's.
onSessionEnd(() => queryClient.clear())

/** Takes an answer over that came with the page, unless there is a newer one. */
export function remember(queryKey: readonly unknown[], data: unknown, updatedAt: number): void {
  if (queryClient.getQueryData(queryKey) === undefined) queryClient.setQueryData(queryKey, data, { updatedAt })
}

/** Follows one question without a component; see `useLateQuery`. */
export const observe = <T>(options: QueryObserverOptions<T>) => new QueryObserver<T>(queryClient, options)

/** What is known of a question at once, before its observer was told of it. */
export const known = <T>(observer: QueryObserver<T>, options: QueryObserverOptions<T>) => observer.getOptimisticResult(queryClient.defaultQueryOptions(options))
