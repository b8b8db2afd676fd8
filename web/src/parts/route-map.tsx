import type { RouteDay } from '@/content/routes'
import { SampleMark } from './sample-mark'
import { SectionHeading } from './section'

const WIDTH = 600
const COLORS = ['#f4b93a', '#5ba3ab', '#f08a7e', '#8fc0c5', '#f9d27a']

/** The week around a hub: which towns are on the road on which day, drawn as lines out of the depot. */
export function RouteMap({ hub, days }: { hub: string; days: readonly RouteDay[] }) {
  const height = 70 + days.length * 62
  return (
    <>
      <SectionHeading title={`A week of routes around ${hub}`} lead={<>When a truck is near you anyway. Your own day is agreed with you, and an extra stop can be added on any of them. <SampleMark of="routes" /></>} />
      <div className="grid items-center gap-8 lg:grid-cols-[7fr_5fr]">
        <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`Drawn map of the week's routes around ${hub}`} className="hidden w-full rounded-lg bg-harbor-950 font-display sm:block">
          <defs>
            <pattern id="route-dots" width="9" height="9" patternUnits="userSpaceOnUse">
              <circle cx="2" cy="2" r="1" fill="#8fc0c5" opacity="0.25" />
            </pattern>
          </defs>
          <rect width={WIDTH} height={height} fill="url(#route-dots)" />
          {days.map(({ day, towns, by }, index) => {
            const y = 62 + index * 62
            const step = (WIDTH - 210) / Math.max(1, towns.length - 1)
            // An island lies at the far end of its line.
            const first = by ? WIDTH - 60 : 150
            const color = COLORS[index % COLORS.length]
            return (
              <g key={day}>
                <path d={`M60 ${height / 2}C110 ${height / 2} 90 ${y} 150 ${y}H${first + step * (towns.length - 1) + (by ? 0 : 20)}`} fill="none" stroke={color} strokeWidth="3" strokeDasharray="0.1 7" strokeLinecap="round" />
                <text x="150" y={y - 16} fontSize="11" fontWeight="700" fill={color}>{day.toUpperCase()}</text>
                {by ? <text x={(150 + first) / 2} y={y + 21} fontSize="12" textAnchor="middle" fill={color}>by {by}</text> : null}
                {towns.map((town, stop) => (
                  <g key={town}>
                    <circle cx={first + step * stop} cy={y} r="6" fill={color} stroke="#0a2a35" strokeWidth="2" />
                    <text x={first + step * stop} y={y + 21} fontSize="12" fill="#fff" textAnchor={stop === 0 && !by ? 'start' : 'middle'} dx={stop === 0 && !by ? -6 : 0}>{town}</text>
                  </g>
                ))}
              </g>
            )
          })}
          <circle cx="60" cy={height / 2} r="16" fill="#f4b93a" />
          <path d={`M50 ${height / 2 + 7}v-9l10-7 10 7v9z`} fill="#0a2a35" />
          <text x="60" y={height / 2 + 34} textAnchor="middle" fontSize="12" fontWeight="700" fill="#fff">Hub</text>
        </svg>
        <dl className="divide-y divide-granite-200 border-y border-granite-200">
          {days.map(({ day, towns, by }) => (
            <div key={day} className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-4 py-3">
              <dt className="font-display font-bold text-harbor-700">{day}</dt>
              <dd>{towns.join(', ') + (by ? ` (by ${by})` : '')}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  )
}
