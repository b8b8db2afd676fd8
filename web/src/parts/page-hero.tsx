import type { ReactNode } from 'react'
import { paths } from '@/lib/paths'
import { Contours } from '@/ui/contours'
import { Icon } from '@/ui/icon'
import { Link } from '@/ui/link'
import { InTurn } from './in-turn'

export interface Crumb {
  label: string
  to: string
}

interface PageHeroProps {
  title: string
  lead: ReactNode
  /** Pages between Home and this one. */
  trail?: readonly Crumb[]
  /** This page's name in the trail. */
  here: string
  actions?: ReactNode
  /** Small facts under the actions. */
  notes?: readonly string[]
  /** Address of a drawing of 440 by 340 units. */
  drawing?: string
}

/** The dark band at the top of every page but Home. */
export function PageHero({ title, lead, trail = [], here, actions, notes, drawing }: PageHeroProps) {
  return (
    <InTurn>
      <div className="on-dark relative overflow-hidden bg-harbor-950 bg-[radial-gradient(60rem_30rem_at_88%_-10%,#0f5d6b,transparent)] text-harbor-100">
        <Contours />
        <div className={`relative container grid items-center gap-12 py-12 lg:py-16 ${drawing ? 'lg:grid-cols-[7fr_5fr]' : ''}`}>
          <div>
            <nav aria-label="Breadcrumb" className="no-print">
              <ol className="flex flex-wrap items-center gap-1.5 text-sm text-harbor-200">
                {[{ label: 'Home', to: paths.home }, ...trail].map(({ label, to }) => (
                  <li key={to} className="flex items-center gap-1.5">
                    <Link to={to} className="rounded-sm py-1 hover:text-gold-300 hover:underline">
                      {label}
                    </Link>
                    <Icon name="next" className="size-3.5" />
                  </li>
                ))}
                <li aria-current="page">{here}</li>
              </ol>
            </nav>
            <h1 className="mt-5 max-w-[20ch] text-h1 text-white">{title}</h1>
            <p className="mt-5 max-w-[56ch] text-lead">{lead}</p>
            {actions ? <div className="mt-8 flex flex-wrap gap-3">{actions}</div> : null}
            {notes ? (
              <ul className="mt-7 flex flex-wrap gap-2.5 text-sm">
                {notes.map((note) => (
                  <li key={note} className="rounded-full border border-harbor-200/30 bg-white/5 px-3.5 py-1.5">
                    {note}
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
          {drawing ? <img src={drawing} alt="" width="440" height="340" loading="lazy" className="hidden justify-self-end lg:block" /> : null}
        </div>
      </div>
    </InTurn>
  )
}
