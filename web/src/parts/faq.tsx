import { Accordion, type Question } from '@/ui/accordion'
import { company } from '@/content/site'

export function Faq({ title = 'Frequently asked questions', questions }: { title?: string; questions: readonly Question[] }) {
  return (
    <div className="grid gap-x-16 gap-y-8 lg:grid-cols-[4fr_8fr]">
      <div>
        <h2 className="text-h2">{title}</h2>
        <p className="mt-4 text-granite-600">
          Something else? Call{' '}
          <a href={company.phoneHref} className="font-semibold whitespace-nowrap text-harbor-700 underline">
            {company.phone}
          </a>
          . A person answers during support hours.
        </p>
      </div>
      <Accordion items={questions} />
    </div>
  )
}
