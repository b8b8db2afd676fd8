import { clsx } from 'clsx'
import { type To } from 'react-router-dom'
import { For, Show } from '@/lib/control-flow'
import { Icon, type IconName } from './icon'
import { Link } from './link'
import { pageItems } from './pages'

interface PaginationProps {
  page: number
  lastPage: number
  /** Address of a page; real links can be opened in a new tab and read without scripts. */
  hrefFor: (page: number) => To
  onNavigate?: () => void
}

export function Pagination({ page, lastPage, hrefFor, onNavigate }: PaginationProps) {
  if (lastPage <= 1) return null
  const pages = pageItems(page, lastPage).map((item, index): PageLink =>
    // The position is a gap's identity: there are at most two, one on each side.
    item === 'gap' ? { key: `gap-${index}`, number: 0, to: '', current: false } : { key: String(item), number: item, to: hrefFor(item), current: item === page },
  )
  return (
    <PageLinks
      previous={page > 1 ? hrefFor(page - 1) : null}
      next={page < lastPage ? hrefFor(page + 1) : null}
      pages={pages}
      onNavigate={onNavigate}
    />
  )
}

export interface PageLink {
  key: string
  /** Zero for a gap. */
  number: number
  to: To
  current: boolean
}

interface PageLinksProps {
  previous: To | null
  next: To | null
  pages: readonly PageLink[]
  onNavigate?: () => void
}

const cell = 'grid size-11 place-items-center rounded-md text-sm font-semibold tabular-nums'

/** Links to the other pages, whoever counted them. */
export function PageLinks({ previous, next, pages, onNavigate }: PageLinksProps) {
  const step = (target: To | null, label: string, rel: string, icon: IconName) => (
    <Show
      when={target}
      otherwise={
        <span aria-hidden="true" className={clsx(cell, 'text-granite-300')}>
          <Icon name={icon} className="size-5" />
        </span>
      }
    >
      {(to) => (
        <Link to={to} rel={rel} onClick={onNavigate} aria-label={label} className={clsx(cell, 'text-harbor-700 hover:bg-harbor-50')}>
          <Icon name={icon} className="size-5" />
        </Link>
      )}
    </Show>
  )
  const link = ({ number, to }: PageLink, current: boolean) => (
    <Link
      to={to}
      onClick={onNavigate}
      aria-label={`Page ${number}`}
      aria-current={current ? 'page' : undefined}
      className={clsx(cell, current ? 'bg-harbor-700 text-white' : 'text-harbor-700 hover:bg-harbor-50')}
    >
      {number}
    </Link>
  )
  return (
    <nav aria-label="Pagination" className="flex flex-wrap items-center justify-center gap-1">
      {step(previous, 'Previous page', 'prev', 'previous')}
      <For each={pages}>
        {(page) => (
          <Show key={page.key} when={page.number} otherwise={<span className={clsx(cell, 'text-granite-600')}>…</span>}>
            {() => (
              <Show when={page.current} otherwise={link(page, false)}>
                {() => link(page, true)}
              </Show>
            )}
          </Show>
        )}
      </For>
      {step(next, 'Next page', 'next', 'next')}
    </nav>
  )
}
