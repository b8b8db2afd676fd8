import { stateRules } from '@/content/states'
import { Icon } from '@/ui/icon'

function Abbreviation({ text }: { text: string }) {
  return (
    <span aria-hidden="true" className="grid size-10 shrink-0 place-items-center rounded-md bg-harbor-50 font-display text-base font-extrabold text-harbor-700 sm:size-13 sm:text-h4">
      {text}
    </span>
  )
}

/** The six states with the authority and the rules in each; on a phone one opens at a time. */
export function StateGrid() {
  return (
    <>
      <ul className="grid gap-2 sm:hidden">
        {stateRules.map(({ abbr, name, agency, rules }) => (
          <li key={abbr}>
            <details name="state-rules" className="group rounded-lg border border-granite-200 bg-white px-4">
              <summary className="flex list-none items-center gap-4 py-3">
                <Abbreviation text={abbr} />
                <h3 className="flex-1 text-h4">{name}</h3>
                <Icon name="plus" className="size-5 shrink-0 text-harbor-700 transition-transform group-open:rotate-45" />
              </summary>
              <div className="pb-4 pl-14">
                <p className="text-sm font-medium">{agency}</p>
                <p className="mt-1 text-sm text-granite-600">{rules}</p>
              </div>
            </details>
          </li>
        ))}
      </ul>
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
    </>
  )
}
