/** Topics to choose from: links that lead to the list of one, and that a script makes buttons to press and release. */
import { clsx } from 'clsx'
import type { ComponentProps, KeyboardEvent, ReactNode } from 'react'
import { For, Show } from '@/lib/control-flow'
import { paths } from '@/lib/paths'
import { ButtonLink } from '@/ui/button'
import { Link } from '@/ui/link'
import { type ListState, listAddress } from './list-state'

export const TOPICS_SHOWN = 12

const topicClass = (active: boolean) =>
  clsx(
    'min-h-9 max-w-full truncate rounded-full border px-4 text-sm font-semibold transition-colors',
    active ? 'border-harbor-700 bg-harbor-700 text-white' : 'border-granite-300 bg-white text-ink hover:border-harbor-700 hover:bg-harbor-50',
  )

/** The first topics; the chosen one is among them, even if it is unused or not one of the first. */
function listedTopics(topics: readonly string[], active: string, shown: number): readonly string[] {
  const first = topics.slice(0, shown)
  return active === '' || first.includes(active) ? first : [active, ...first]
}

export const allTopicsClass = 'min-h-9 rounded-full px-4 text-sm font-semibold text-harbor-700 hover:bg-harbor-50'

export interface TopicLink {
  name: string
  /** Of the list with this topic, or without it if it is the chosen one. */
  address: string
  active: boolean
}

export const topicLinks = (tags: readonly string[], state: ListState, shown = TOPICS_SHOWN): TopicLink[] =>
  listedTopics(tags, state.tag, shown).map((name) => ({
    name,
    address: listAddress({ ...state, tag: name === state.tag ? '' : name, page: 1 }),
    active: name === state.tag,
  }))

/** What a button does at the key that a link knows nothing of. */
function pressBySpace(event: KeyboardEvent<HTMLAnchorElement>) {
  if (event.key !== ' ') return
  event.preventDefault()
  event.currentTarget.click()
}

interface TopicLinksProps {
  topics: readonly TopicLink[]
  /** Choosing the one that is pressed shows all articles again. */
  buttons?: boolean
  children?: ReactNode
}

export function TopicLinks({ topics, buttons = false, children }: TopicLinksProps) {
  const manner = (active: boolean): Partial<ComponentProps<typeof Link>> =>
    buttons ? { role: 'button', 'aria-pressed': active, onKeyDown: pressBySpace } : { 'aria-current': active ? 'true' : undefined }
  const link = ({ name, address }: TopicLink, active: boolean) => (
    <Link {...manner(active)} to={address} className={clsx('flex items-center', topicClass(active))}>
      {name}
    </Link>
  )
  return (
    <Show when={topics}>
      {(some) => (
        <div role="group" aria-label="Filter by topic" className="flex flex-wrap gap-2">
          <For each={some}>
            {(topic) => (
              <Show key={topic.name} when={topic.active} otherwise={link(topic, false)}>
                {() => link(topic, true)}
              </Show>
            )}
          </For>
          {children}
        </div>
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
