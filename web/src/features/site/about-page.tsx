import drawing from '@/art/lighthouse.svg'
import { paths } from '@/lib/paths'
import { about } from '@/content/about'
import { stats } from '@/content/site'
import { Seo } from '@/lib/seo'
import { breadcrumbs, localBusiness } from '@/parts/structured-data'
import { CallToAction } from '@/parts/call-to-action'
import { FeatureGrid } from '@/parts/lists'
import { PageHero } from '@/parts/page-hero'
import { Section, SectionHeading } from '@/parts/section'

export default function AboutPage() {
  const { seo, title, lead, story, mission, values, milestones, cta } = about
  const here = { label: 'About', to: paths.about }
  return (
    <>
      <Seo {...seo} path={paths.about} jsonLd={[localBusiness(), breadcrumbs([here])]} />
      <PageHero title={title} lead={lead} here={here.label} drawing={drawing} />
      <Section>
        <div className="grid gap-x-16 gap-y-10 lg:grid-cols-[7fr_5fr]">
          <div>
            <h2 className="text-h2">{story.title}</h2>
            <div className="mt-6 grid gap-5">
              {story.paragraphs.map((paragraph) => (
                <p key={paragraph} className="max-w-[64ch]">
                  {paragraph}
                </p>
              ))}
            </div>
          </div>
          <dl className="grid grid-cols-2 content-start self-start gap-x-6 gap-y-8 rounded-lg bg-harbor-50 p-7 sm:p-9">
            {stats.map(({ value, label }) => (
              <div key={label} className="flex flex-col-reverse justify-end">
                <dt className="text-sm text-granite-600">{label}</dt>
                <dd className="font-display text-h2 font-extrabold text-harbor-700 tabular-nums">{value}</dd>
              </div>
            ))}
          </dl>
        </div>
      </Section>
      <Section tone="dark">
        <div className="grid gap-6 lg:grid-cols-[4fr_8fr]">
          <h2 className="text-h4 text-gold-400">{mission.title}</h2>
          <p className="font-display text-h3 leading-snug font-semibold text-white lg:text-[1.75rem]">{mission.text}</p>
        </div>
      </Section>
      <Section>
        <SectionHeading title={values.title} lead={values.lead} />
        <FeatureGrid features={values.features} columns={4} />
      </Section>
      <Section tone="granite">
        <SectionHeading title={milestones.title} />
        <ol className="border-l-2 border-harbor-300">
          {milestones.items.map(({ year, text }) => (
            <li key={year} className="relative grid gap-x-8 gap-y-1 py-4 pl-8 sm:grid-cols-[6rem_1fr]">
              <span aria-hidden="true" className="absolute top-6 -left-[0.5625rem] size-4 rounded-full border-3 border-harbor-700 bg-granite-50" />
              <span className="font-display text-h4 font-extrabold text-harbor-700 tabular-nums">{year}</span>
              <span className="max-w-[60ch]">{text}</span>
            </li>
          ))}
        </ol>
      </Section>
      <div className="pt-16 lg:pt-24">
        <CallToAction {...cta} primary={{ label: 'Get a FREE Waste Audit', to: paths.quote }} secondary={{ label: 'Contact Us', to: paths.contact }} place="about_closing" />
      </div>
    </>
  )
}
