import { useState } from 'react'
import { TOPICS_SHOWN, TopicGroup, listedTopics, topicClass } from './topics'

interface TagFilterProps {
  tags: readonly string[]
  active: string
  /** Called with '' when the active one is chosen again. */
  onChange: (tag: string) => void
}

/** Topics as badges; choosing the active one clears the filter. */
export function TagFilter({ tags, active, onChange }: TagFilterProps) {
  const [all, setAll] = useState(false)
  const listed = listedTopics(tags, active, all ? tags.length : TOPICS_SHOWN)
  if (listed.length === 0) return null
  return (
    <TopicGroup>
      {listed.map((tag) => (
        <button key={tag} type="button" aria-pressed={tag === active} onClick={() => onChange(tag === active ? '' : tag)} className={topicClass(tag === active)}>
          {tag}
        </button>
      ))}
      {tags.length > TOPICS_SHOWN ? (
        <button type="button" onClick={() => setAll(!all)} className="min-h-9 rounded-full px-4 text-sm font-semibold text-harbor-700 hover:bg-harbor-50">
          {all ? 'Fewer topics' : `All ${tags.length} topics`}
        </button>
      ) : null}
    </TopicGroup>
  )
}
