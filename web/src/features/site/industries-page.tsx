import drawing from '@/art/facilities.svg'
import { paths } from '@/lib/paths'
import { industries } from '@/content/industries'
import { trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { breadcrumbs } from '@/parts/structured-data'
import { ButtonLink } from '@/ui/button'
import { IconTile } from '@/ui/icon'
import { CallToAction } from '@/parts/call-to-action'
import { CheckList } from '@/parts/lists'
import { PageHero } from '@/parts/page-hero'
import { Section } from '@/parts/section'

export default function IndustriesPage() {
  const here = { label: 'Industries', to: paths.industries }
  return (
    <>
      <Seo {...industries.seo} path={paths.industries} jsonLd={[breadcrumbs([here])]} />
      <PageHero title={industries.title} lead={industries.lead} here={here.label} drawing={drawing} />
      <Section label="Sectors">
        <ul className="grid gap-6 md:grid-cols-2">
          {industries.sectors.map(({ icon, title, text, points, facilityType }) => (
            <li key={title} className="flex flex-col rounded-lg border border-granite-200 p-6 sm:p-8">
              <div className="flex items-center gap-4">
                <IconTile name={icon} />
                <h2 className="text-h3">{title}</h2>
              </div>
              <p className="mt-5 text-granite-600">{text}</p>
              <div className="mt-5 mb-7">
                <CheckList items={points} />
              </div>
              <div className="mt-auto">
                <ButtonLink variant="outline" to={paths.quote} state={{ facilityType }} aria-label={`Get a Quote for ${title}`} onClick={() => trackButton('Get a Quote', `industries ${title}`)}>
                  Get a Quote
                </ButtonLink>
              </div>
            </li>
          ))}
        </ul>
      </Section>
      <CallToAction {...industries.cta} primary={{ label: 'Get a Quote', to: paths.quote }} secondary={{ label: 'Contact Us', to: paths.contact }} place="industries_closing" />
    </>
  )
}
