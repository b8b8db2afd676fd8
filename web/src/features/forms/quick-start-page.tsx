import { useSearchParams } from 'react-router-dom'
import drawing from '@/art/calendar.svg'
import { findLocation } from '@/content/locations'
import { paths } from '@/lib/paths'
import { quickStart } from '@/content/requests'
import { CheckList } from '@/parts/lists'
import { PageHero } from '@/parts/page-hero'
import { trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { breadcrumbs, service } from '@/parts/structured-data'
import { ButtonLink } from '@/ui/button'
import { DEFAULT_PRICE } from './quick-start-body'
import { FormPage } from './form-page'
import { QuickStartForm } from './quick-start-form'
import { SideCard } from '@/parts/side-card'

/** What it costs, before anything is asked: one price everywhere, and for the area that was chosen. */
function Price({ location }: { location: string }) {
  const found = findLocation(location)
  return (
    <p className="grid gap-2">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-display text-hero leading-none font-extrabold text-gold-400 tabular-nums">${found?.quickStartPrice ?? DEFAULT_PRICE}</span>
        <span className="text-lead font-semibold text-white">a month{found ? ` in ${found.displayName}, ${found.stateAbbr}` : ''}</span>
      </span>
      <span className="max-w-[52ch] text-sm">{quickStart.price}</span>
    </p>
  )
}

export default function QuickStartPage() {
  const [query] = useSearchParams()
  const location = query.get('location') ?? ''
  const here = { label: 'Quick Start', to: paths.quickStart }
  return (
    <>
      <Seo {...quickStart.seo} image="/og/quick-start.png" path={paths.quickStart} jsonLd={[service('Quick Start monthly medical waste pickup', quickStart.seo.description, paths.quickStart), breadcrumbs([here])]} />
      <PageHero title={quickStart.title} lead={quickStart.lead} here={here.label} notes={quickStart.badges} drawing={drawing} actions={<Price location={location} />} />
      <FormPage
        // Another location in the address is another form.
        form={<QuickStartForm key={location} location={location} />}
        aside={
          <>
            <SideCard icon="container" title={quickStart.included.title}>
              <CheckList items={quickStart.included.points} />
            </SideCard>
            <SideCard icon="hospital" title={quickStart.full.title}>
              <p className="text-sm text-granite-600">{quickStart.full.text}</p>
              <div className="mt-4">
                <ButtonLink variant="outline" wide to={paths.quote} onClick={() => trackButton('Get Custom Quote', 'quick_start_sidebar')}>
                  Get Custom Quote
                </ButtonLink>
              </div>
            </SideCard>
          </>
        }
      />
    </>
  )
}
