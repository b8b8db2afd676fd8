import { type CityKey, paths } from '@/lib/paths'
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
import { InTurn } from '@/parts/in-turn'
import { Fold } from '@/parts/fold'
import { FeatureGrid } from '@/parts/lists'
import { TrackingWalk } from '@/parts/paper-trail'
import { Rating } from '@/parts/rating'
import { SampleMark } from '@/parts/sample-mark'
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
      <InTurn>
        <Hero />
      </InTurn>
      <InTurn>
        <div className="relative container -mt-20">
          <Stats />
        </div>
      </InTurn>
      <InTurn>
        <div className="container pt-9 sm:pt-14">
          <ClientCarousel {...home.clients} />
        </div>
      </InTurn>
      <Section>
        <SectionHeading title={home.services.title} lead={home.services.lead} />
        <div className="grid gap-3 lg:grid-cols-3 lg:gap-6">
          {home.services.cards.map((card) => (
            <ServiceCard key={card.title} {...card} brief />
          ))}
        </div>
      </Section>
      <Section tone="granite">
        <TrackingWalk />
      </Section>
      <Section tone="dark">
        <Testimonial />
      </Section>
      <Section>
        <Compliance />
      </Section>
      <Section tone="granite">
        <SectionHeading title={home.advantages.title} lead={home.advantages.lead} />
        <FeatureGrid fold="advantages" features={home.advantages.features} />
      </Section>
      <Section>
        <Certifications />
      </Section>
      <Section tone="harbor">
        <SectionHeading title={home.coverage.title} lead={home.coverage.lead} />
        <StateGrid />
        <CityLinks />
      </Section>
      <div className="pt-9 sm:pt-16 lg:pt-24">
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
      <div className="relative container grid gap-6 pt-7 pb-28 sm:gap-10 sm:pt-14 sm:pb-36 lg:grid-cols-[1fr_1.1fr] lg:pt-16 lg:pb-36">
        <div className="self-center">
          <p className="inline-flex items-center gap-2.5 rounded-full border border-harbor-200/30 bg-white/5 px-3.5 py-1.5 text-xs sm:px-4 sm:text-sm">
            <span className="size-2 rounded-full bg-gold-400" />
            {badge}
          </p>
          <h1 className="mt-4 max-w-[13ch] text-hero text-white sm:mt-6">{title}</h1>
          <p className="mt-4 max-w-[46ch] text-base sm:mt-6 sm:text-lead">{lead}</p>
          <div className="mt-6 flex flex-wrap gap-3 sm:mt-9">
            <ButtonLink size="lg" variant="gold" to={paths.quote} onClick={() => trackButton('Get a FREE Waste Audit', 'home_hero')}>
              Get a FREE Waste Audit
              <Icon name="forward" />
            </ButtonLink>
            <ButtonLink size="lg" variant="onDark" to={paths.services} onClick={() => trackButton('See our services', 'home_hero', 'secondary')}>
              See our services
            </ButtonLink>
          </div>
          <ul className="mt-5 flex gap-y-1.5 text-sm max-sm:flex-col sm:mt-9 sm:flex-wrap sm:gap-x-4 sm:gap-y-2">
            {notes.map((note) => (
              <li key={note} className="flex items-center gap-2 whitespace-nowrap">
                <Icon name="check" className="size-4.5 text-gold-400" />
                {note}
              </li>
            ))}
          </ul>
        </div>
        <div className="grid items-center gap-6 sm:grid-cols-[minmax(0,1fr)_15rem] lg:gap-4">
          <HeroMap />
          <Tracking steps={tracking} />
        </div>
      </div>
    </div>
  )
}

/** Where each hub stands on the drawing of 510 by 640, and on which side of its point its name stands. */
const hubs: { city: CityKey; name: string; x: number; y: number; side: 'left' | 'right' }[] = [
  { city: 'worcester', name: 'Worcester', x: 169, y: 491, side: 'left' },
  { city: 'boston', name: 'Boston', x: 218, y: 482, side: 'right' },
  { city: 'providence', name: 'Providence', x: 195, y: 532, side: 'left' },
  { city: 'capecod', name: 'Cape Cod', x: 270, y: 546, side: 'right' },
  { city: 'hartford', name: 'Hartford', x: 110, y: 526, side: 'left' },
]

function HeroMap() {
  return (
    <div className="relative ml-auto w-[13rem] max-sm:-mt-20 sm:mx-auto sm:w-full sm:max-w-[27rem]">
      <img src={map} alt="Map of the six New England states with five service hubs" width="434" height="544" className="h-auto w-full" />
      {hubs.map(({ city, name, x, y, side }) => (
        <Link
          key={city}
          to={paths.city(city)}
          style={{ left: `${(x / 510) * 100}%`, top: `${(y / 640) * 100}%`, transform: `translate(${side === 'left' ? 'calc(-100% - 0.5rem)' : '0.5rem'}, ${nudges[city] ?? '-50%'})` }}
          className="absolute flex min-h-6 items-center rounded-sm font-display text-[0.75rem] font-bold whitespace-nowrap text-white [text-shadow:0_0_4px_#0a2a35,0_0_4px_#0a2a35] hover:text-gold-300 hover:underline sm:text-sm"
        >
          {name}
        </Link>
      ))}
    </div>
  )
}

/** Names that would touch each other stand a little higher or lower. */
const nudges: Partial<Record<CityKey, string>> = { providence: '0.25rem', boston: '-85%', worcester: '-80%', capecod: '0.125rem', hartford: '-70%' }

const trackingIcons: IconName[] = ['container', 'truck', 'flame', 'certificate']

function Tracking({ steps }: { steps: readonly string[] }) {
  return (
    // On a phone the walk below tells the same.
    <div className="hidden rounded-lg bg-white p-5 text-ink shadow-deep sm:block">
      <p className="flex items-center gap-2 font-display text-sm font-bold whitespace-nowrap">
        <Icon name="clipboard" className="size-5 shrink-0 text-harbor-700" />
        Cradle-to-grave tracking
      </p>
      <ol className="mt-3 grid text-xs">
        {steps.map((step, index) => (
          <li key={step} className="relative flex items-center gap-3 pb-3 last:pb-0">
            {index < steps.length - 1 ? <span aria-hidden="true" className="absolute top-8 left-4 h-3 border-l-2 border-dotted border-harbor-300" /> : null}
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
        <div key={label} className="flex flex-col-reverse justify-end bg-white px-5 py-3 sm:p-7">
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
      <blockquote className="mt-4 sm:mt-6 text-pretty font-display text-h4 leading-snug font-semibold text-white sm:text-h3 lg:text-[1.75rem]">“{quote}”</blockquote>
      <figcaption className="mt-4 text-sm sm:mt-6">
        <span className="font-semibold text-white">{name}</span>
        <br />
        {place} <SampleMark of="testimonial" className="ml-3 text-harbor-200 decoration-harbor-400" />
      </figcaption>
    </figure>
  )
}

/** Who asks for what, as a page of the folder would say it. */
function Compliance() {
  const { title, lead, features } = home.compliance
  return (
    <div className="grid gap-x-16 gap-y-5 lg:grid-cols-[4fr_8fr]">
      <div>
        <h2 className="max-w-[16ch] text-h2">{title}</h2>
        <p className="mt-3 max-w-[60ch] text-granite-600 max-sm:text-sm lg:mt-5">{lead}</p>
      </div>
      <ul className="hidden divide-y divide-granite-200 border-y border-granite-200 sm:grid">
        {features.map(({ icon, title: name, text }) => (
          <li key={name} className="grid grid-cols-[3rem_9rem_minmax(0,1fr)] items-center gap-x-5 py-5">
            <span className="grid size-12 place-items-center rounded-md bg-harbor-950 text-gold-400">
              <Icon name={icon} className="size-6" />
            </span>
            <h3 className="text-h3">{name}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <ul className="grid grid-cols-2 gap-1.5 sm:hidden">
        {features.map(({ icon, title: name, text }) => (
          <li key={name} className="has-[[open]]:col-span-full">
            <Fold group="compliance" title={name} mark={<Icon name={icon} className="size-6 shrink-0 text-harbor-700" />}>
              {text}
            </Fold>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Certifications() {
  const { title, items } = home.certifications
  return (
    <div className="grid gap-6 sm:gap-10 lg:grid-cols-[4fr_8fr]">
      <h2 className="max-w-[16ch] text-h2">{title}</h2>
      <ul className="grid grid-cols-2 gap-2 sm:gap-4">
        {items.map(({ code, text }) => (
          <li key={code} className="rounded-lg border border-granite-200 p-3 sm:p-5">
            <p className="font-display text-sm font-bold text-harbor-700 sm:text-base">{code}</p>
            <p className="mt-1 text-xs text-granite-600 sm:mt-1.5 sm:text-sm">{text}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}

function CityLinks() {
  return (
    <p className="mt-5 flex flex-wrap items-center gap-2 text-sm sm:mt-10 sm:gap-x-3">
      <span className="font-semibold">Local teams:</span>
      {locations.map(({ key, displayName, stateAbbr }) => (
        <Link key={key} to={paths.city(key)} className="rounded-full border border-harbor-300 bg-white px-3.5 py-1.5 font-medium sm:px-4 text-harbor-700 hover:border-harbor-700">
          {displayName}, {stateAbbr}
        </Link>
      ))}
    </p>
  )
}
