import { stateRules } from '@/content/states'

/** The six states with the authority and the rules in each. */
export function StateGrid() {
  return (
    <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
      {stateRules.map(({ abbr, name, agency, rules }) => (
        <li key={abbr} className="flex gap-5 rounded-lg border border-granite-200 bg-white p-5">
          <span aria-hidden="true" className="grid size-13 shrink-0 place-items-center rounded-md bg-harbor-50 font-display text-h4 font-extrabold text-harbor-700">
            {abbr}
          </span>
          <div>
            <h3 className="text-h4">{name}</h3>
            <p className="mt-1 text-sm font-medium">{agency}</p>
            <p className="mt-1 text-sm text-granite-600">{rules}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}
