/** Topics to choose from: buttons in the browser, links where the server renders them. */
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { For, Show } from '@/lib/control-flow'
import { paths } from '@/lib/paths'
import { ButtonLink } from '@/ui/button'
import { Link } from '@/ui/link'
import { type ListState, listAddress } from './list-state'

export const TOPICS_SHOWN = 12

export const topicClass = (active: boolean) =>
  clsx(
    'min-h-9 max-w-full truncate rounded-full border px-4 text-sm font-semibold transition-colors',
    active ? 'border-harbor-700 bg-harbor-700 text-white' : 'border-granite-300 bg-white text-ink hover:border-harbor-700 hover:bg-harbor-50',
  )

/** The first topics; the chosen one is among them, even if it is unused or not one of the first. */
export function listedTopics(topics: readonly string[], active: string, shown = TOPICS_SHOWN): readonly string[] {
  const first = topics.slice(0, shown)
  return active === '' || first.includes(active) ? first : [active, ...first]
}

export function TopicGroup({ children }: { children: ReactNode }) {
  return (
    <div role="group" aria-label="Filter by topic" className="flex flex-wrap gap-2">
      {children}
    </div>
  )
}

export interface TopicLink {
  name: string
  /** Of the list with this topic, or without it if it is the chosen one. */
  address: string
  active: boolean
}

export const topicLinks = (tags: readonly string[], state: ListState): TopicLink[] =>
  listedTopics(tags, state.tag).map((name) => ({
    name,
    address: listAddress({ ...state, tag: name === state.tag ? '' : name, page: 1 }),
    active: name === state.tag,
  }))

/** The same without a script. */
export function TopicLinks({ topics }: { topics: readonly TopicLink[] }) {
  const link = ({ name, address }: TopicLink, active: boolean) => (
    <Link to={address} aria-current={active ? 'true' : undefined} className={clsx('flex items-center', topicClass(active))}>
      {name}
    </Link>
  )
  return (
    <Show when={topics}>
      {(some) => (
        <TopicGroup>
          <For each={some}>
            {(topic) => (
              <Show key={topic.name} when={topic.active} otherwise={link(topic, false)}>
                {() => link(topic, true)}
              </Show>
            )}
          </For>
        </TopicGroup>
      )}
    </Show>
  )
}

/** Back to all articles without a script. */
export function ClearLink() {
  return (
    <ButtonLink variant="outline" to={paths.insights}>
      Clear Filters
    </ButtonLink>
  )
}
