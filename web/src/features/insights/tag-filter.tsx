import { clsx } from 'clsx'
import { useState } from 'react'

interface TagFilterProps {
  tags: readonly string[]
  active: string
  /** Called with '' when the active one is chosen again. */
  onChange: (tag: string) => void
}

const SHOWN_AT_FIRST = 12

/** Topics as badges; choosing the active one clears the filter. */
export function TagFilter({ tags, active, onChange }: TagFilterProps) {
  const [all, setAll] = useState(false)
  const shown = all ? tags : tags.slice(0, SHOWN_AT_FIRST)
  // A topic from the address may be unused, or not among the first.
  const listed = active === '' || shown.includes(active) ? shown : [active, ...shown]
  if (listed.length === 0) return null
  return (
    <div role="group" aria-label="Filter by topic" className="flex flex-wrap gap-2">
      {listed.map((tag) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === active}
          onClick={() => onChange(tag === active ? '' : tag)}
          className={clsx(
            'min-h-9 max-w-full truncate rounded-full border px-4 text-sm font-semibold transition-colors',
            tag === active ? 'border-harbor-700 bg-harbor-700 text-white' : 'border-granite-300 bg-white text-ink hover:border-harbor-700 hover:bg-harbor-50',
          )}
        >
          {tag}
        </button>
      ))}
      {tags.length > SHOWN_AT_FIRST ? (
        <button type="button" onClick={() => setAll(!all)} className="min-h-9 rounded-full px-4 text-sm font-semibold text-harbor-700 hover:bg-harbor-50">
          {all ? 'Fewer topics' : `All ${tags.length} topics`}
        </button>
      ) : null}
    </div>
  )
}
