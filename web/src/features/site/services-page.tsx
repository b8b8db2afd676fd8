import drawing from '@/art/truck.svg'
import { paths } from '@/lib/paths'
import { overview } from '@/content/services/overview'
import { trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { breadcrumbs, localBusiness, service } from '@/parts/structured-data'
import { ButtonLink } from '@/ui/button'
import { CallToAction } from '@/parts/call-to-action'
import { PageHero } from '@/parts/page-hero'
import { Section, SectionHeading } from '@/parts/section'
import { ServiceCard } from '@/parts/service-card'
import { StateGrid } from '@/parts/state-grid'

export default function ServicesPage() {
  const { seo, title, lead, core, additional, coverage } = overview
  const here = { label: 'Services', to: paths.services }
  const all = [...core.cards, ...additional.cards]
  return (
    <>
      <Seo {...seo} image="/og/services.png" path={paths.services} jsonLd={[localBusiness(), ...all.map((card) => service(card.title, card.text, paths.services)), breadcrumbs([here])]} />
      <PageHero
        title={title}
        lead={lead}
        here={here.label}
        drawing={drawing}
        actions={
          <>
            <ButtonLink size="lg" variant="gold" to={paths.quote} onClick={() => trackButton('Get a Quote', 'services_hero')}>
              Get a Quote
            </ButtonLink>
            <ButtonLink size="lg" variant="onDark" to={paths.quickStart} onClick={() => trackButton('Quick Start', 'services_hero', 'secondary')}>
              Quick Start service
            </ButtonLink>
          </>
        }
      />
      <Section>
        <SectionHeading title={core.title} lead={core.lead} />
        <div className="grid gap-6 md:grid-cols-2">
          {core.cards.map((card) => (
            <ServiceCard key={card.title} {...card} />
          ))}
        </div>
      </Section>
      <Section tone="granite">
        <SectionHeading title={additional.title} lead={additional.lead} />
        <div className="grid gap-4 lg:grid-cols-3 lg:gap-6">
          {additional.cards.map((card) => (
            <ServiceCard key={card.title} {...card} />
          ))}
        </div>
      </Section>
      <Section>
        <SectionHeading title={coverage.title} lead={coverage.lead} />
        <StateGrid />
      </Section>
      <CallToAction
        title="Not sure which services you need?"
        text="That is what the free waste audit is for. We walk your rooms and come back with a short list."
        primary={{ label: 'Get a FREE Waste Audit', to: paths.quote }}
        secondary={{ label: 'Contact Us', to: paths.contact }}
        place="services_closing"
      />
    </>
  )
}
