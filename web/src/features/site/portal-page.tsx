import { type FormEvent, useState } from 'react'
import drawing from '@/art/portal.svg'
import { paths } from '@/lib/paths'
import { portal, portalAction } from '@/content/portal'
import { company } from '@/content/site'
import { trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { breadcrumbs } from '@/parts/structured-data'
import { Accordion } from '@/ui/accordion'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { Icon, IconTile } from '@/ui/icon'
import { Input } from '@/ui/input'
import { FeatureGrid } from '@/parts/lists'
import { Email } from '@/parts/email'
import { PageHero } from '@/parts/page-hero'
import { Section, SectionHeading } from '@/parts/section'

export default function PortalPage() {
  const here = { label: 'Customer Portal', to: paths.portal }
  return (
    <>
      <Seo {...portal.seo} path={paths.portal} jsonLd={[breadcrumbs([here])]} />
      <PageHero title={portal.title} lead={portal.lead} here={here.label} drawing={drawing} />
      <Section label="Sign in">
        <div className="grid gap-10 lg:grid-cols-[5fr_7fr]">
          <PortalForm />
          <ul className="grid content-start gap-7">
            {portal.cards.map(({ icon, title, text }) => (
              <li key={title} className="flex gap-5">
                <IconTile name={icon} small />
                <div>
                  <h2 className="text-h4">{title}</h2>
                  <p className="mt-1 max-w-[56ch] text-sm text-granite-600">{text}</p>
                </div>
              </li>
            ))}
          </ul>
        </div>
      </Section>
      <Section tone="granite">
        <SectionHeading title={portal.hub.title} />
        <FeatureGrid features={portal.hub.features} />
      </Section>
      <Section>
        <div className="grid gap-x-16 gap-y-8 lg:grid-cols-[4fr_8fr]">
          <div>
            <h2 className="text-h2">{portal.help.title}</h2>
            <p className="mt-4 text-granite-600">
              Support:{' '}
              <a href={company.emailHref} className="font-semibold text-harbor-700 underline">
                <Email address={company.email} />
              </a>{' '}
              or{' '}
              <a href={company.phoneHref} className="font-semibold whitespace-nowrap text-harbor-700 underline">
                {company.phone}
              </a>
            </p>
          </div>
          <Accordion items={portal.help.items} />
        </div>
      </Section>
    </>
  )
}

const messages = { username: 'Enter your user name.', password: 'Enter your password.' }

/** Posts straight to the training provider in a new tab; nothing typed here passes through this site. */
function PortalForm() {
  const [errors, setErrors] = useState<Partial<typeof messages>>({})

  const submit = (event: FormEvent<HTMLFormElement>) => {
    const data = new FormData(event.currentTarget)
    const found: Partial<typeof messages> = {}
    for (const name of ['username', 'password'] as const) {
      if (!String(data.get(name) ?? '').trim()) found[name] = messages[name]
    }
    setErrors(found)
    const first = Object.keys(found)[0]
    if (first) {
      event.preventDefault()
      event.currentTarget.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
      return
    }
    trackButton('Portal Login', 'customer_portal')
  }

  return (
    <form method="post" action={portalAction} target="_blank" rel="noopener" noValidate onSubmit={submit} aria-label="Customer portal" className="grid content-start gap-5 rounded-lg border border-granite-200 p-6 shadow-soft sm:p-8">
      <h2 className="text-h3">Sign in to your portal</h2>
      <Field label="Username" required error={errors.username}>
        {(control) => <Input {...control} name="username" required autoComplete="username" />}
      </Field>
      <Field label="Password" required error={errors.password}>
        {(control) => <Input {...control} name="password" type="password" required autoComplete="current-password" />}
      </Field>
      <Button type="submit" size="lg" wide>
        Log In to Portal
        <Icon name="external" />
      </Button>
      <p className="text-xs text-granite-600">Opens our training and records provider in a new tab.</p>
    </form>
  )
}
