import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type To } from 'react-router-dom'
import { Link } from '@/ui/link'
import { pageItems } from './pages'

interface PaginationProps {
  page: number
  lastPage: number
  /** Address of a page; real links can be opened in a new tab and read without scripts. */
  hrefFor: (page: number) => To
  onNavigate?: (page: number) => void
}

const cell = 'grid size-11 place-items-center rounded-md text-sm font-semibold tabular-nums'

export function Pagination({ page, lastPage, hrefFor, onNavigate }: PaginationProps) {
  if (lastPage <= 1) return null
  const step = (target: number, label: string, Icon: typeof ChevronLeft) =>
    target < 1 || target > lastPage ? (
      <span aria-hidden="true" className={clsx(cell, 'text-granite-300')}>
        <Icon className="size-5" />
      </span>
    ) : (
      <Link to={hrefFor(target)} onClick={() => onNavigate?.(target)} aria-label={label} className={clsx(cell, 'text-harbor-700 hover:bg-harbor-50')}>
        <Icon aria-hidden="true" className="size-5" />
      </Link>
    )
  return (
    <nav aria-label="Pagination" className="flex flex-wrap items-center justify-center gap-1">
      {step(page - 1, 'Previous page', ChevronLeft)}
      {pageItems(page, lastPage).map((item, index) =>
        item === 'gap' ? (
          // The position is the identity: there are at most two gaps, one on each side.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={`gap-${index}`} className={clsx(cell, 'text-granite-600')}>
            …
          </span>
        ) : (
          <Link
            key={item}
            to={hrefFor(item)}
            onClick={() => onNavigate?.(item)}
            aria-label={`Page ${item}`}
            aria-current={item === page ? 'page' : undefined}
            className={clsx(cell, item === page ? 'bg-harbor-700 text-white' : 'text-harbor-700 hover:bg-harbor-50')}
          >
            {item}
          </Link>
        ),
      )}
      {step(page + 1, 'Next page', ChevronRight)}
    </nav>
  )
}
