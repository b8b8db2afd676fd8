import { useEffect } from 'react'
import { paths } from '@/lib/paths'
import type { ServiceContent } from '@/content/services/types'
import { track, trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { breadcrumbs, faqPage, service as serviceData } from '@/parts/structured-data'
import { ButtonLink } from '@/ui/button'
import { ContainerGuide } from '@/parts/container-guide'
import { SamplePapers } from '@/parts/paper-trail'
import { CallToAction } from '@/parts/call-to-action'
import { Faq } from '@/parts/faq'
import { CheckList, FeatureGrid, RuleList, Steps } from '@/parts/lists'
import { PageHero } from '@/parts/page-hero'
import { Section, SectionHeading } from '@/parts/section'
import { Icon } from '@/ui/icon'

const SERVICE_OF: Record<string, string> = {
  [paths.medicalWaste]: 'medical-waste',
  [paths.pharmaceutical]: 'pharmaceutical',
  [paths.complianceTraining]: 'training',
}

interface ServicePageProps {
  content: ServiceContent
  /** Address of the service's drawing. */
  drawing: string
}

/** The page of one service; each service's own file brings its words and its drawing. */
export function ServicePage({ content, drawing }: ServicePageProps) {
  const { name, path, seo, title, lead, notes, streams, steps, rules, included, questions, cta } = content
  // The quote begins with this service chosen.
  const wish = { service: SERVICE_OF[path] }
  const trail = [{ label: 'Services', to: paths.services }]

  useEffect(() => {
    track('view_item', { item_id: path, item_name: name, item_category: 'service' })
  }, [path, name])

  return (
    <>
      <Seo {...seo} image={`/og/${path.split('/').at(-1)}.png`} path={path} jsonLd={[serviceData(name, seo.description, path), faqPage(questions), breadcrumbs([...trail, { label: name, to: path }])]} />
      <PageHero
        title={title}
        lead={lead}
        trail={trail}
        here={name}
        notes={notes}
        drawing={drawing}
        actions={
          <>
            <ButtonLink size="lg" variant="gold" to={paths.quote} state={wish} onClick={() => trackButton('Get a Quote', `${name} hero`)}>
              Get a Quote
            </ButtonLink>
            <ButtonLink size="lg" variant="onDark" to={paths.portal} onClick={() => trackButton('Make a Payment', `${name} hero`, 'secondary')}>
              <Icon name="card" />
              Make a Payment
            </ButtonLink>
          </>
        }
      />
      <Section>
        <SectionHeading {...streams} />
        <FeatureGrid fold="streams" features={streams.features} />
      </Section>
      {path === paths.complianceTraining ? null : (
        <Section tone="harbor">
          <ContainerGuide />
        </Section>
      )}
      <Section tone="granite">
        <SectionHeading {...steps} />
        <Steps steps={steps.items} />
      </Section>
      <Section>
        <SectionHeading {...rules} />
        <RuleList rules={rules.items} />
      </Section>
      {path === paths.medicalWaste ? (
        <Section tone="granite">
          <SamplePapers />
        </Section>
      ) : null}
      <Section tone="harbor">
        <div className="grid gap-10 lg:grid-cols-[5fr_7fr]">
          <div>
            <h2 className="text-h2">{included.title}</h2>
            <p className="mt-4 max-w-[40ch] text-granite-600">{included.lead}</p>
          </div>
          <div className="rounded-lg bg-white p-6 sm:p-8">
            <CheckList items={included.items} columns />
          </div>
        </div>
      </Section>
      <Section>
        <Faq questions={questions} />
      </Section>
      <CallToAction
        {...cta}
        primary={{ label: 'Get a Quote', to: paths.quote, state: wish }}
        secondary={{ label: 'Make a Payment', to: paths.portal }}
        place={`${name} closing`}
      />
    </>
  )
}
