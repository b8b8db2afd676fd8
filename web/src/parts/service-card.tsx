import { clsx } from 'clsx'
import { Icon, type IconName } from '@/ui/icon'
import { Link } from '@/ui/link'
import { CheckList } from './lists'
import { type PatternName, patterns } from './patterns'

export interface ServiceCardContent {
  title: string
  text: string
  points: readonly string[]
  icon: IconName
  pattern: PatternName
  link: { label: string; to: string }
}

/**
 * The whole card is the link's target; the link itself keeps a name of its own. A brief one shows a phone neither picture nor points;
 * one as wide as a tablet's page lies down.
 */
export function ServiceCard({ title, text, points, icon, pattern, link, brief = false }: ServiceCardContent & { brief?: boolean }) {
  return (
    <div className="@container grid">
      <article className={clsx('group relative flex overflow-hidden rounded-lg border border-granite-200 bg-white transition-shadow hover:shadow-soft sm:flex-col @2xl:flex-row', !brief && 'flex-col')}>
        <div className={clsx('relative overflow-hidden bg-harbor-50 sm:h-32 sm:w-auto @2xl:h-auto @2xl:w-48 @2xl:shrink-0', brief ? 'w-16 shrink-0' : 'h-16')}>
          <img src={patterns[pattern]} alt="" width="380" height="128" loading="lazy" className="size-full object-cover object-right" />
          <span className={clsx('absolute grid place-items-center rounded-md bg-harbor-900 text-gold-400 sm:top-auto sm:bottom-4 sm:left-6 sm:size-14', brief ? 'top-4 left-3 size-10' : 'bottom-2 left-5 size-12')}>
            <Icon name={icon} className={clsx('sm:size-7', brief ? 'size-5.5' : 'size-7')} />
          </span>
        </div>
        <div className={clsx('flex flex-1 flex-col sm:p-6', brief ? 'p-4' : 'p-5')}>
          <h3 className={clsx('sm:text-h3', brief ? 'text-h4' : 'text-h3')}>{title}</h3>
          <p className="mt-1.5 text-sm text-granite-600 sm:mt-3">{text}</p>
          <div className={clsx('mt-4 mb-5 sm:mt-5 sm:mb-6', brief && 'max-sm:hidden')}>
            <CheckList items={points} />
          </div>
          <Link to={link.to} className="mt-auto inline-flex max-sm:pt-1.5 max-sm:text-sm items-center gap-2 self-start rounded-sm font-semibold text-harbor-700 after:absolute after:inset-0 group-hover:underline">
            {link.label}
            <Icon name="forward" className="size-4" />
          </Link>
        </div>
      </article>
    </div>
  )
}
