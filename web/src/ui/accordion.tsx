import { Icon } from './icon'

export interface Question {
  question: string
  answer: string
}

/** Questions that open by themselves in the browser: no script is needed to read the answers. */
export function Accordion({ items }: { items: readonly Question[] }) {
  return (
    <div className="divide-y divide-granite-200 border-y border-granite-200">
      {items.map(({ question, answer }) => (
        <details key={question} className="group">
          <summary className="flex list-none items-center justify-between gap-6 py-5 font-display text-h4 font-bold hover:text-harbor-700">
            <h3 className="text-h4">{question}</h3>
            <Icon name="plus" className="size-5 shrink-0 text-harbor-700 transition-transform group-open:rotate-45" />
          </summary>
          <p className="max-w-[68ch] pb-6 text-granite-600">{answer}</p>
        </details>
      ))}
    </div>
  )
}
