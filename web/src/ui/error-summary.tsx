import { useEffect, useRef } from 'react'

export interface ErrorEntry {
  /** Name of the field, '' for what belongs to none. */
  label: string
  message: string
  /** Brings the field into view and the cursor into it. */
  onSelect?: () => void
}

/** What keeps a form from being sent, above it: each entry leads to its field. Nothing without entries. */
export function ErrorSummary({ entries, focus = false, quiet = false }: { entries: readonly ErrorEntry[]; focus?: boolean; /** Not read out: something else says it already. */ quiet?: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const shown = entries.length > 0
  useEffect(() => {
    if (shown && focus) box.current?.focus()
  }, [shown, focus])
  if (!shown) return null
  return (
    <div ref={box} role={quiet ? 'group' : 'alert'} aria-label="There is a problem" tabIndex={-1} className="mb-6 rounded-lg border-2 border-danger bg-danger-50 p-5">
      <h2 className="text-h4">There is a problem</h2>
      <ul className="mt-2 grid gap-1 text-sm">
        {entries.map(({ label, message, onSelect }) => (
          <li key={label + message}>
            {onSelect ? (
              <button type="button" onClick={onSelect} className="rounded-sm text-left font-semibold text-danger underline">
                {label === '' ? message : `${label}: ${message}`}
              </button>
            ) : (
              <span className="font-semibold text-danger">{message}</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
