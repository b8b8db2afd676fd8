import { stateRules } from '@/content/states'
import { Fold } from './fold'

function Abbreviation({ text }: { text: string }) {
  return (
    <span aria-hidden="true" className="grid size-13 shrink-0 place-items-center rounded-md bg-harbor-50 font-display text-h4 font-extrabold text-harbor-700">
      {text}
    </span>
  )
}

/** The six states with the authority and the rules in each; on a phone one opens at a time. */
export function StateGrid() {
  return (
    <>
      <ul className="hidden gap-4 sm:grid sm:grid-cols-2 lg:grid-cols-3">
        {stateRules.map(({ abbr, name, agency, rules }) => (
          <li key={abbr} className="flex gap-5 rounded-lg border border-granite-200 bg-white p-5">
            <Abbreviation text={abbr} />
            <div>
              <h3 className="text-h4">{name}</h3>
              <p className="mt-1 text-sm font-medium">{agency}</p>
              <p className="mt-1 text-sm text-granite-600">{rules}</p>
            </div>
          </li>
        ))}
      </ul>
      <ul className="grid grid-cols-2 gap-2 sm:hidden">
        {stateRules.map(({ abbr, name, agency, rules }) => (
          <li key={abbr} className="has-[[open]]:col-span-2">
            <Fold group="state-rules" title={name}>
              <p className="font-medium text-ink">{agency}</p>
              <p className="mt-1">{rules}</p>
            </Fold>
          </li>
        ))}
      </ul>
    </>
  )
}
