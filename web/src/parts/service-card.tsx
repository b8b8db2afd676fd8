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

/** The whole card is the link's target; the link itself keeps a name of its own. */
export function ServiceCard({ title, text, points, icon, pattern, link }: ServiceCardContent) {
  return (
    <article className="group relative flex flex-col overflow-hidden rounded-lg border border-granite-200 bg-white transition-shadow hover:shadow-soft">
      <div className="relative h-16 overflow-hidden sm:h-32 bg-harbor-50">
        <img src={patterns[pattern]} alt="" width="380" height="128" loading="lazy" className="size-full object-cover object-right" />
        <span className="absolute bottom-2 left-5 grid size-12 sm:bottom-4 sm:left-6 sm:size-14 place-items-center rounded-md bg-harbor-900 text-gold-400">
          <Icon name={icon} className="size-7" />
        </span>
      </div>
      <div className="flex flex-1 flex-col p-5 sm:p-6">
        <h3 className="text-h3">{title}</h3>
        <p className="mt-3 text-sm text-granite-600">{text}</p>
        <div className="mt-4 mb-5 sm:mt-5 sm:mb-6">
          <CheckList items={points} />
        </div>
        <Link to={link.to} className="mt-auto inline-flex items-center gap-2 self-start rounded-sm font-semibold text-harbor-700 after:absolute after:inset-0 group-hover:underline">
          {link.label}
          <Icon name="forward" className="size-4" />
        </Link>
      </div>
    </article>
  )
}
