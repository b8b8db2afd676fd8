import drawing from '@/art/sheet.svg'
import { paths } from '@/lib/paths'
import { locations } from '@/content/locations'
import { quote } from '@/content/requests'
import { company, footerHours } from '@/content/site'
import { CheckList } from '@/parts/lists'
import { PageHero } from '@/parts/page-hero'
import { Seo } from '@/lib/seo'
import { breadcrumbs } from '@/parts/structured-data'
import { FormPage } from './form-page'
import { QuoteForm } from './quote-form'
import { SideCard } from '@/parts/side-card'
import { Link } from '@/ui/link'

export default function QuotePage() {
  return (
    <>
      <Seo {...quote.seo} image="/og/quote.png" path={quote.path} jsonLd={[breadcrumbs([{ label: 'Quote', to: quote.path }])]} />
      <PageHero title={quote.title} lead={quote.lead} here="Quote" drawing={drawing} />
      <FormPage
        form={<QuoteForm />}
        aside={
          <>
            <SideCard icon="phone" title={quote.call.title}>
              <p className="text-sm text-granite-600">{quote.call.text}</p>
              <a href={company.phoneHref} className="mt-3 inline-block rounded-sm font-display text-h3 font-extrabold text-harbor-700 hover:underline">
                {company.phone}
              </a>
              <p className="mt-1 text-sm text-granite-600">{footerHours}</p>
            </SideCard>
            <SideCard icon="shield" title={quote.why.title}>
              <CheckList items={quote.why.points} />
            </SideCard>
            <SideCard icon="pin" title={quote.areas.title}>
              <p className="text-sm text-granite-600">{quote.areas.text}</p>
              <ul className="mt-2 grid text-sm">
                {locations.map(({ key, displayName, stateAbbr }) => (
                  <li key={key}>
                    <Link to={paths.city(key)} className="inline-block rounded-sm py-1 font-medium text-harbor-700 hover:underline">
                      {displayName}, {stateAbbr}
                    </Link>
                  </li>
                ))}
              </ul>
            </SideCard>
          </>
        }
      />
    </>
  )
}
