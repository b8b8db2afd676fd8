import type { ReactNode } from 'react'
import { useLocation } from 'react-router-dom'
import { company, footerHours } from '@/content/site'
import { UNSENT_LEAD, type SentContent } from '@/content/sent'
import { trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { useAlive } from '@/lib/use-alive'
import { PageHero } from '@/parts/page-hero'
import { SideCard } from '@/parts/side-card'
import { ButtonLink } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { paths } from '@/lib/paths'

interface SentState {
  number?: string
  priority?: string
}

/** After a form: its number, what happens next and by when, whom to call. The empty form is below. */
export function Sent({ content, again }: { content: SentContent; again: ReactNode }) {
  // The history remembers it, a reload included; whoever opens the address otherwise has sent nothing, and the served HTML cannot know.
  const state = useLocation().state as SentState | null
  const { number, priority } = (useAlive() ? state : null) ?? {}
  const heading = number ? content.title : content.unsent
  const lead = number ? content.lead : UNSENT_LEAD
  return (
    <>
      <Seo title={heading} description={lead} noindex />
      <PageHero title={heading} lead={lead} trail={[content.from]} here={number ? 'Sent' : 'Not sent yet'} />
      <div className="container grid items-start gap-8 py-12 lg:grid-cols-[1fr_21rem] lg:gap-10 lg:py-16">
        <div className="grid gap-8">
          {number ? (
            <p className="flex flex-wrap items-center gap-x-6 gap-y-2 rounded-lg border border-success bg-success-50 p-5 sm:p-6">
              <Icon name="done" className="size-7 text-success" />
              <span>
                <span className="block text-sm text-granite-600">Your request number</span>
                <strong className="font-display text-h3 tracking-wide tabular-nums">{number}</strong>
              </span>
              <span className="text-sm text-granite-600">Say it when you call, and we have your request in front of us.</span>
            </p>
          ) : null}
          {priority === 'emergency' || priority === 'urgent' ? (
            <p className="flex gap-3 rounded-lg border border-danger bg-danger-50 p-5">
              <Icon name="siren" className="size-6 shrink-0 text-danger" />
              <span>
                If it cannot wait, do not wait for us: call{' '}
                <a href={company.emergencyHref} className="font-semibold whitespace-nowrap text-danger underline">
                  {company.emergencyPhone}
                </a>
                , day and night.
              </span>
            </p>
          ) : null}
          {number ? null : again}
          <section aria-labelledby="next">
            <h2 id="next" className="text-h2">
              {number ? 'What happens next' : 'What happens once it is sent'}
            </h2>
            <ol className="mt-6 ml-4 border-l-2 border-harbor-300">
              {content.steps.map(({ when, title, text }, index) => (
                <li key={title} className="relative pb-7 pl-9 last:pb-0">
                  <span aria-hidden="true" className="absolute top-0 -left-4 grid size-8 place-items-center rounded-full bg-harbor-700 text-sm font-bold text-white">
                    {index + 1}
                  </span>
                  <p className="text-sm font-semibold text-gold-700">{when}</p>
                  <h3 className="text-h4">{title}</h3>
                  <p className="mt-1 max-w-[60ch] text-granite-600">{text}</p>
                </li>
              ))}
            </ol>
          </section>
        </div>
        <aside className="grid gap-5">
          <SideCard icon="phone" title="Call us">
            <a href={company.phoneHref} className="inline-block rounded-sm font-display text-h3 font-extrabold text-harbor-700 hover:underline">
              {company.phone}
            </a>
            <p className="mt-1 text-sm text-granite-600">{footerHours}</p>
            <p className="mt-3 text-sm">
              Emergency, 24/7:{' '}
              <a href={company.emergencyHref} className="font-semibold whitespace-nowrap text-danger hover:underline">
                {company.emergencyPhone}
              </a>
            </p>
          </SideCard>
          <SideCard icon="certificate" title="Meanwhile">
            <p className="text-sm text-granite-600">What belongs in which container, and which rule says so.</p>
            <div className="mt-4">
              <ButtonLink variant="outline" wide to={paths.insights} onClick={() => trackButton('Read Insights', 'form_sent')}>
                Read Insights
              </ButtonLink>
            </div>
          </SideCard>
        </aside>
      </div>
      {number ? (
        <section aria-label={content.again} className="no-print border-t border-granite-200 bg-granite-50 py-12 lg:py-16">
          <div className="container grid gap-8 lg:grid-cols-[1fr_21rem] lg:gap-10">
            <div>
              <h2 className="mb-6 text-h3">{content.again}</h2>
              {again}
            </div>
          </div>
        </section>
      ) : null}
    </>
  )
}
