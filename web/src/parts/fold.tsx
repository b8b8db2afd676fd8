import type { ReactNode } from 'react'
import { Icon } from '@/ui/icon'

interface FoldProps {
  /** Of folds that share it, one is open at a time. */
  group: string
  title: string
  /** Before the title. */
  mark?: ReactNode
  children: ReactNode
}

/** A line that opens, for a phone; what it holds is read without a script. */
export function Fold({ group, title, mark, children }: FoldProps) {
  return (
    <details name={group} className="group rounded-lg border border-granite-200 bg-white px-3">
      <summary className="flex min-h-11 list-none items-center gap-2 py-1">
        {mark}
        <h3 className="flex-1 text-sm leading-tight font-bold">{title}</h3>
        <Icon name="plus" className="size-4 shrink-0 text-harbor-700 transition-transform group-open:rotate-45" />
      </summary>
      <div className="pb-4 text-sm text-granite-600">{children}</div>
    </details>
  )
}
