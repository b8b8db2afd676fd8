import { Spinner } from './spinner'

/** Fills a page while its code or its session is on the way. */
export function PageLoading({ label = 'Loading…' }: { label?: string }) {
  return (
    <div role="status" className="box-content flex min-h-[60vh] flex-col items-center justify-center gap-4 py-12 text-granite-600">
      <span className="text-harbor-700">
        <Spinner size="2.25rem" />
      </span>
      <span>{label}</span>
    </div>
  )
}
