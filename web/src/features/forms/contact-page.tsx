import drawing from '@/art/desk.svg'
import { paths } from '@/lib/paths'
import { states } from '@/content/locations'
import { contact } from '@/content/requests'
import { company, supportHours } from '@/content/site'
import { Email } from '@/parts/email'
import { PageHero } from '@/parts/page-hero'
import { trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { breadcrumbs, localBusiness } from '@/parts/structured-data'
import { ButtonLink, buttonClass } from '@/ui/button'
import { ContactForm } from './contact-form'
import { FormPage } from './form-page'
import { SideCard } from '@/parts/side-card'
import { Icon } from '@/ui/icon'

export default function ContactPage() {
  const here = { label: 'Contact', to: paths.contact }
  return (
    <>
      <Seo {...contact.seo} path={paths.contact} jsonLd={[localBusiness(), breadcrumbs([here])]} />
      <PageHero
        title={contact.title}
        lead={contact.lead}
        here={here.label}
        drawing={drawing}
        actions={
          <>
            <a href={company.emailHref} onClick={() => trackButton('Email', 'contact_hero')} className={buttonClass({ size: 'lg', variant: 'onDark' })}>
              <Icon name="mail" />
              <Email address={company.email} />
            </a>
            <ButtonLink size="lg" variant="gold" to={paths.quote} onClick={() => trackButton('Get Quote', 'contact_hero')}>
              Get Quote
            </ButtonLink>
          </>
        }
      />
      <FormPage
        form={<ContactForm />}
        aside={
          <>
            <SideCard icon="siren" title={contact.emergency.title}>
              <p className="text-sm text-granite-600">{contact.emergency.text}</p>
              <a href={company.emergencyHref} className="mt-3 inline-block rounded-sm font-display text-h3 font-extrabold text-danger hover:underline">
                {company.emergencyPhone}
              </a>
            </SideCard>
            <SideCard icon="clock" title={contact.hours.title}>
              <dl className="grid gap-2 text-sm">
                {supportHours.map(({ days, hours }) => (
                  <div key={days} className="flex justify-between gap-4">
                    <dt className="text-granite-600">{days}</dt>
                    <dd className="font-semibold whitespace-nowrap tabular-nums">{hours}</dd>
                  </div>
                ))}
              </dl>
            </SideCard>
            <SideCard icon="pin" title={contact.states.title}>
              <ul className="grid grid-cols-2 gap-x-4 gap-y-1.5 text-sm">
                {states.map(({ name }) => (
                  <li key={name}>{name}</li>
                ))}
              </ul>
            </SideCard>
          </>
        }
      />
    </>
  )
}
