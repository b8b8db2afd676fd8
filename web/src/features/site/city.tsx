import { useEffect } from 'react'
import { paths } from '@/lib/paths'
import type { CityContent } from '@/content/cities/types'
import { locationOf } from '@/content/locations'
import { track, trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { breadcrumbs, faqPage, localBusiness, service } from '@/parts/structured-data'
import { ButtonLink } from '@/ui/button'
import { CallToAction } from '@/parts/call-to-action'
import { Faq } from '@/parts/faq'
import { FeatureGrid } from '@/parts/lists'
import { RouteMap } from '@/parts/route-map'
import { routeDays } from '@/content/routes'
import { PageHero } from '@/parts/page-hero'
import { Section, SectionHeading } from '@/parts/section'
import { ServiceCard } from '@/parts/service-card'

interface CityPageProps {
  content: CityContent
  /** Address of the city's drawing. */
  drawing: string
}

/** The page of one city; each city's own file brings its words and its drawing. */
export function CityPage({ content, drawing }: CityPageProps) {
  const city = content.key
  const location = locationOf(city)
  const path = paths.city(city)
  const name = `${location.displayName}, ${location.stateAbbr}`

  useEffect(() => {
    track('view_item', { item_id: city, item_name: name, item_category: 'location' })
  }, [city, name])

  return (
    <>
      <Seo
        {...content.seo}
        path={path}
        image={`/og${path}.png`}
        jsonLd={[
          localBusiness({ areaServed: location.serviceAreas.map((area) => ({ '@type': 'City', name: `${area}, ${location.stateAbbr}` })) }),
          service(`Medical waste disposal ${content.where}, ${location.stateAbbr}`, content.seo.description, path, location.serviceAreas),
          faqPage(content.questions),
          breadcrumbs([{ label: name, to: path }]),
        ]}
      />
      <PageHero
        title={`Medical waste disposal ${content.where}`}
        lead={content.lead}
        here={name}
        notes={location.serviceAreas}
        drawing={drawing}
        actions={
          <ButtonLink size="lg" variant="gold" to={paths.quote} onClick={() => trackButton('Get a Quote', `${city}_hero`)}>
            Get a Quote
          </ButtonLink>
        }
      />
      <Section>
        <SectionHeading title={`Services ${content.where}`} lead="Three things most facilities here combine. Take one, or all three under one agreement." />
        <div className="grid gap-4 lg:grid-cols-3 lg:gap-6">
          {content.cards.map((card) => (
            <ServiceCard key={card.title} {...card} />
          ))}
        </div>
        <div className="mt-12 grid items-center gap-x-10 gap-y-6 rounded-lg border border-gold-400 bg-gold-50 p-6 sm:p-9 lg:grid-cols-[1fr_auto]">
          <div>
            <h3 className="text-h3">One or two boxes a month?</h3>
            <p className="mt-2 max-w-[52ch] text-granite-600">Quick Start: containers provided, no setup fee, no long-term contract, running within 48 hours.</p>
          </div>
          <div className="grid justify-items-start gap-2 lg:justify-items-center">
            <ButtonLink size="lg" variant="gold" to={paths.quickStartFor(city)} onClick={() => trackButton('Quick Start Service', `${city}_quick_start`)}>
              QUICK START SERVICE STARTING AT $75
            </ButtonLink>
            <p className="text-sm text-granite-600">*for monthly pickups only</p>
          </div>
        </div>
      </Section>
      <Section tone="harbor">
        <RouteMap hub={location.displayName} days={routeDays[city]} />
      </Section>
      <Section tone="granite">
        <SectionHeading title={content.why.title} />
        <FeatureGrid features={content.why.features} columns={4} />
      </Section>
      <Section>
        <Faq questions={content.questions} />
      </Section>
      <CallToAction {...content.cta} primary={{ label: 'Get a Quote', to: paths.quote }} secondary={{ label: 'Contact Us', to: paths.contact }} place={`${city}_closing`} />
    </>
  )
}
