/** The recurring ways to list things: ticks, features with icons, numbered steps, rules with their numbers. */
import { clsx } from 'clsx'
import { Icon, type IconName } from '@/ui/icon'
import { Fold } from './fold'

export interface Feature {
  icon: IconName
  title: string
  text: string
}

export interface Rule {
  /** The citation as it is written, such as "29 CFR 1910.1030". */
  code: string
  name: string
  text: string
}

export interface Step {
  title: string
  text: string
}

export function CheckList({ items, columns }: { items: readonly string[]; columns?: boolean }) {
  return (
    // Columns and no grid: an item of two lines then leaves no gap beside it.
    <ul className={columns ? '-mb-2.5 gap-x-8 sm:columns-2' : 'grid gap-2.5'}>
      {items.map((item) => (
        <li key={item} className={clsx('flex gap-3 text-sm', columns && 'mb-2.5 break-inside-avoid')}>
          <Icon name="check" className="mt-0.5 size-4.5 shrink-0 text-harbor-600" />
          {item}
        </li>
      ))}
    </ul>
  )
}

interface FeatureGridProps {
  features: readonly Feature[]
  columns?: 2 | 3 | 4
  onDark?: boolean
  /** On a phone the features open one by one, under this name. */
  fold?: string
}

export function FeatureGrid({ fold, ...grid }: FeatureGridProps) {
  if (fold === undefined) return <OpenFeatures {...grid} />
  return (
    <>
      <div className="hidden sm:block">
        <OpenFeatures {...grid} />
      </div>
      <ul className={clsx('grid gap-1.5 sm:hidden', grid.features.length < 5 && 'grid-cols-2')}>
        {grid.features.map(({ icon, title, text }) => (
          <li key={title} className="has-[[open]]:col-span-full">
            <Fold group={fold} title={title} mark={<Icon name={icon} className="size-6 shrink-0 text-harbor-700" />}>
              {text}
            </Fold>
          </li>
        ))}
      </ul>
    </>
  )
}

function OpenFeatures({ features, columns = 3, onDark }: FeatureGridProps) {
  const grid = { 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-2 lg:grid-cols-3', 4: 'sm:grid-cols-2 lg:grid-cols-4' }[columns]
  return (
    <ul className={`grid gap-x-8 gap-y-5 sm:gap-y-10 ${grid}`}>
      {features.map(({ icon, title, text }) => (
        <li key={title} className={`grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 border-t-2 pt-4 sm:block sm:pt-5 ${onDark ? 'border-harbor-700' : 'border-harbor-100'}`}>
          <Icon name={icon} className={`size-7 ${onDark ? 'text-gold-400' : 'text-harbor-700'}`} />
          <h3 className={`text-h4 sm:mt-4 ${onDark ? 'text-white' : ''}`}>{title}</h3>
          <p className={`col-start-2 mt-1 text-sm sm:mt-2 ${onDark ? 'text-harbor-100' : 'text-granite-600'}`}>{text}</p>
        </li>
      ))}
    </ul>
  )
}

export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="grid gap-5 sm:grid-cols-2 sm:gap-8 lg:grid-cols-4 lg:gap-6">
      {steps.map(({ title, text }, index) => (
        <li key={title} className="relative max-sm:grid max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:gap-x-4">
          <span aria-hidden="true" className="flex items-center gap-4 max-sm:row-span-2 max-sm:self-start">
            <span className="grid size-11 place-items-center rounded-full border-2 border-harbor-700 bg-white font-display font-extrabold text-harbor-700 tabular-nums">{index + 1}</span>
            <span className="h-0 flex-1 border-t-2 border-dotted border-harbor-300 max-sm:hidden" />
          </span>
          <h3 className="text-h4 sm:mt-5">{title}</h3>
          <p className="mt-1 text-sm text-granite-600 sm:mt-2">{text}</p>
        </li>
      ))}
    </ol>
  )
}

/** Rules with their numbers; on a phone they open one by one. */
export function RuleList({ rules }: { rules: readonly Rule[] }) {
  return (
    <>
      <OpenRules rules={rules} />
      <ul className="grid gap-1.5 sm:hidden">
        {rules.map(({ code, name, text }) => (
          <li key={code}>
            <Fold group="rules" title={name}>
              <p className="font-medium text-ink">{code}</p>
              <p className="mt-1">{text}</p>
            </Fold>
          </li>
        ))}
      </ul>
    </>
  )
}

function OpenRules({ rules }: { rules: readonly Rule[] }) {
  return (
    <dl className="hidden sm:block divide-y divide-granite-200 border-y border-granite-200">
      {rules.map(({ code, name, text }) => (
        <div key={code} className="grid gap-x-8 gap-y-1 py-5 md:grid-cols-[17rem_1fr]">
          <dt>
            <span className="block font-display font-bold text-harbor-700">{code}</span>
            <span className="text-sm text-granite-600">{name}</span>
          </dt>
          <dd className="max-w-[68ch]">{text}</dd>
        </div>
      ))}
    </dl>
  )
}
