import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Spinner } from '@/ui/spinner'
import { ApiError } from '../lib/api'
import { Button } from './button'

export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div role="status" className="state">
      <Spinner size="1.4em" />
      <p>{what}…</p>
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <p className="state-title">{title}</p>
      {children}
    </div>
  )
}

/** What went wrong, in the server's words, with what helps. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = error instanceof ApiError ? error.problem : undefined
  return (
    <div role="alert" className="failure">
      <CircleAlert aria-hidden="true" />
      <div>
        <p>
          <strong>{problem?.message ?? (error instanceof Error ? error.message : String(error))}</strong>
        </p>
        {problem?.details ? <p>{problem.details}</p> : null}
        {problem?.hint ? <p>{problem.hint}</p> : null}
        {problem ? <p className="muted">Code {problem.code}</p> : null}
        {onRetry ? (
          <Button look="quiet" icon={<RotateCw aria-hidden="true" />} onClick={onRetry}>
            Try again
          </Button>
        ) : null}
      </div>
    </div>
  )
}

/** One query in its three states. */
export function Loaded<T>({ result, what, children }: { result: UseQueryResult<T>; what?: string; children: (data: T) => ReactNode }) {
  if (result.data !== undefined) return children(result.data)
  if (result.isError) return <Failure error={result.error} onRetry={() => void result.refetch()} />
  return <Loading what={what} />
}
