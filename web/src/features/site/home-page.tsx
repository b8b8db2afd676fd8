import { paths } from '@/lib/paths'
import { home } from '@/content/home'
import { locations } from '@/content/locations'
import { company, stats } from '@/content/site'
import { trackButton } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { localBusiness } from '@/parts/structured-data'
import { ButtonLink } from '@/ui/button'
import { Icon, type IconName } from '@/ui/icon'
import { Contours } from '@/ui/contours'
import map from '@/art/new-england.svg'
import { CallToAction } from '@/parts/call-to-action'
import { ClientCarousel } from '@/parts/client-carousel'
import { FeatureGrid } from '@/parts/lists'
import { Rating } from '@/parts/rating'
import { Section, SectionHeading } from '@/parts/section'
import { ServiceCard } from '@/parts/service-card'
import { StateGrid } from '@/parts/state-grid'
import { Link } from '@/ui/link'

const review = {
  '@type': 'Review',
  author: { '@type': 'Person', name: 'Practice administrator, central Massachusetts' },
  reviewRating: { '@type': 'Rating', ratingValue: 5, bestRating: 5 },
  reviewBody: home.testimonial.quote,
  datePublished: '2025-05-14',
}

export default function HomePage() {
  return (
    <>
      <Seo {...home.seo} path={paths.home} jsonLd={[localBusiness({ review })]} />
      <Hero />
      <div className="relative container -mt-20">
        <Stats />
      </div>
      <div className="container pt-14">
        <ClientCarousel {...home.clients} />
      </div>
      <Section>
        <SectionHeading title={home.services.title} lead={home.services.lead} />
        <div className="grid gap-6 lg:grid-cols-3">
          {home.services.cards.map((card) => (
            <ServiceCard key={card.title} {...card} />
          ))}
        </div>
      </Section>
      <Section tone="dark">
        <Testimonial />
      </Section>
      <Section>
        <SectionHeading title={home.compliance.title} lead={home.compliance.lead} />
        <FeatureGrid features={home.compliance.features} columns={4} />
      </Section>
      <Section tone="granite">
        <SectionHeading title={home.advantages.title} lead={home.advantages.lead} />
        <FeatureGrid features={home.advantages.features} />
      </Section>
      <Section>
        <Certifications />
      </Section>
      <Section tone="harbor">
        <SectionHeading title={home.coverage.title} lead={home.coverage.lead} />
        <StateGrid />
        <CityLinks />
      </Section>
      <div className="pt-16 lg:pt-24">
        <CallToAction {...home.cta} place="home_closing" />
      </div>
    </>
  )
}

function Hero() {
  const { badge, title, lead, notes, tracking } = home.hero
  return (
    <div className="on-dark relative overflow-hidden bg-harbor-950 bg-[radial-gradient(60rem_40rem_at_88%_0%,#0f5d6b,transparent)] text-harbor-100">
      <Contours />
      <div className="relative container grid gap-10 pt-14 pb-36 lg:grid-cols-[1.05fr_1fr] lg:pt-20 lg:pb-40">
        <div className="self-center">
          <p className="inline-flex items-center gap-2.5 rounded-full border border-harbor-200/30 bg-white/5 px-4 py-1.5 text-sm">
            <span className="size-2 rounded-full bg-gold-400" />
            {badge}
          </p>
          <h1 className="mt-6 max-w-[13ch] text-hero text-white">{title}</h1>
          <p className="mt-6 max-w-[46ch] text-lead">{lead}</p>
          <div className="mt-9 flex flex-wrap gap-3">
            <ButtonLink size="lg" variant="gold" to={paths.quote} onClick={() => trackButton('Get a FREE Waste Audit', 'home_hero')}>
              Get a FREE Waste Audit
              <Icon name="forward" />
            </ButtonLink>
            <ButtonLink size="lg" variant="onDark" to={paths.services} onClick={() => trackButton('See our services', 'home_hero', 'secondary')}>
              See our services
            </ButtonLink>
          </div>
          <ul className="mt-9 flex flex-wrap gap-x-7 gap-y-2 text-sm">
            {notes.map((note) => (
              <li key={note} className="flex items-center gap-2.5">
                <Icon name="check" className="size-4.5 text-gold-400" />
                {note}
              </li>
            ))}
          </ul>
        </div>
        <div className="relative hidden justify-center sm:flex lg:justify-start lg:pl-4">
          <img src={map} alt="Map of the six New England states with service hubs in Worcester, Boston, Providence, Cape Cod and Hartford" width="434" height="544" className="h-[34rem] w-auto" />
          <Tracking steps={tracking} />
        </div>
      </div>
    </div>
  )
}

const trackingIcons: IconName[] = ['container', 'truck', 'flame', 'certificate']

function Tracking({ steps }: { steps: readonly string[] }) {
  return (
    <div className="absolute right-0 bottom-[34%] w-62 rounded-lg bg-white p-5 text-ink shadow-deep">
      <p className="flex items-center gap-2 font-display text-sm font-bold whitespace-nowrap">
        <Icon name="clipboard" className="size-5 text-harbor-700" />
        Cradle-to-grave tracking
      </p>
      <ol className="mt-3 grid gap-2 text-xs">
        {steps.map((step, index) => (
          <li key={step} className="flex items-center gap-3">
            <span className="grid size-8 shrink-0 place-items-center rounded-full bg-harbor-50 text-harbor-700">
              <Icon name={trackingIcons[index] ?? 'container'} className="size-4" />
            </span>
            {step}
          </li>
        ))}
      </ol>
    </div>
  )
}

function Stats() {
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-granite-200 bg-granite-200 shadow-deep [gap:1px] lg:grid-cols-4">
      {stats.map(({ value, label }) => (
        <div key={label} className="flex flex-col-reverse justify-end bg-white p-5 sm:p-7">
          <dt className="text-sm text-granite-600">{label}</dt>
          <dd className="font-display text-h2 font-extrabold text-harbor-700 tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Testimonial() {
  const { quote, name, place } = home.testimonial
  return (
    <figure className="relative mx-auto max-w-4xl">
      <Rating value={company.rating} />
      <blockquote className="mt-6 text-pretty font-display text-h3 leading-snug font-semibold text-white lg:text-[1.75rem]">“{quote}”</blockquote>
      <figcaption className="mt-6 text-sm">
        <span className="font-semibold text-white">{name}</span>
        <br />
        {place}
      </figcaption>
    </figure>
  )
}

function Certifications() {
  const { title, items } = home.certifications
  return (
    <div className="grid gap-10 lg:grid-cols-[4fr_8fr]">
      <h2 className="max-w-[16ch] text-h2">{title}</h2>
      <ul className="grid gap-4 sm:grid-cols-2">
        {items.map(({ code, text }) => (
          <li key={code} className="rounded-lg border border-granite-200 p-5">
            <p className="font-display font-bold text-harbor-700">{code}</p>
            <p className="mt-1.5 text-sm text-granite-600">{text}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}

function CityLinks() {
  return (
    <p className="mt-10 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
      <span className="font-semibold">Local teams:</span>
      {locations.map(({ key, displayName, stateAbbr }) => (
        <Link key={key} to={paths.city(key)} className="rounded-full border border-harbor-300 bg-white px-4 py-1.5 font-medium text-harbor-700 hover:border-harbor-700">
          {displayName}, {stateAbbr}
        </Link>
      ))}
    </p>
  )
}
