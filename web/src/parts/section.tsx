import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Contours } from '@/ui/contours'
import { InTurn } from './in-turn'

const tones = {
  white: 'bg-white',
  granite: 'bg-granite-50',
  harbor: 'bg-harbor-50',
  dark: 'on-dark relative overflow-hidden bg-harbor-950 text-harbor-100',
}

interface SectionProps {
  tone?: keyof typeof tones
  id?: string
  /** Names the section for screen readers when it has no heading. */
  label?: string
  children: ReactNode
}

export function Section({ tone = 'white', id, label, children }: SectionProps) {
  return (
    <InTurn>
      <section id={id} aria-label={label} className={clsx('py-8 sm:py-16 lg:py-24', tones[tone])}>
        {tone === 'dark' ? <Contours /> : null}
        <div className="relative container">{children}</div>
      </section>
    </InTurn>
  )
}

interface HeadingProps {
  title: string
  lead?: ReactNode
  onDark?: boolean
}

/** A section's heading on the left, its lead on the right where there is room. */
export function SectionHeading({ title, lead, onDark }: HeadingProps) {
  return (
    <div className="mb-5 grid items-end gap-x-12 gap-y-3 sm:mb-10 sm:gap-y-4 lg:mb-14 lg:grid-cols-[7fr_5fr]">
      <h2 className={clsx('max-w-[22ch] text-h2', onDark && 'text-white')}>{title}</h2>
      {lead ? <p className={clsx('max-w-[60ch] max-sm:text-sm', onDark ? 'text-harbor-100' : 'text-granite-600')}>{lead}</p> : null}
    </div>
  )
}
