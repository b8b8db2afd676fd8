import type { PolicyContent } from '@/content/policies'
import { company } from '@/content/site'
import { Seo } from '@/lib/seo'
import { PageHero } from '@/parts/page-hero'
import { breadcrumbs } from '@/parts/structured-data'

/** A page of rules in plain words: contents at the side where there is room. */
export function Policy({ path, content: { seo, title, lead, reviewed, sections } }: { path: string; content: PolicyContent }) {
  const anchor = (name: string) => name.toLowerCase().replace(/[^a-z]+/g, '-')
  return (
    <>
      <Seo {...seo} path={path} jsonLd={[breadcrumbs([{ label: title, to: path }])]} />
      <PageHero title={title} lead={lead} here={title} />
      <div className="container grid grid-cols-1 items-start gap-x-16 gap-y-10 py-12 lg:grid-cols-[15rem_minmax(0,1fr)] lg:py-16">
        <nav aria-label="On this page" className="no-print lg:sticky lg:top-8">
          <ul className="grid gap-1 border-l-2 border-harbor-200 text-sm">
            {sections.map((section) => (
              <li key={section.title}>
                <a href={`#${anchor(section.title)}`} className="-ml-0.5 block border-l-2 border-transparent py-1.5 pl-4 hover:border-gold-500 hover:text-harbor-700">
                  {section.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="max-w-[66ch] break-words">
          {sections.map((section) => (
            <section key={section.title} aria-labelledby={anchor(section.title)} className="mb-10">
              <h2 id={anchor(section.title)} className="text-h3">
                {section.title}
              </h2>
              {section.paragraphs?.map((paragraph) => (
                <p key={paragraph} className="mt-3">
                  {withLinks(paragraph)}
                </p>
              ))}
              {section.items ? (
                <ul className="mt-3 grid list-disc gap-2 pl-6">
                  {section.items.map((item) => (
                    <li key={item}>{item}</li>
                  ))}
                </ul>
              ) : null}
            </section>
          ))}
          <p className="border-t border-granite-200 pt-5 text-sm text-granite-600">Last reviewed on {reviewed}.</p>
        </div>
      </div>
    </>
  )
}

const contacts: Record<string, string> = {
  [company.email]: company.emailHref,
  [company.phone]: company.phoneHref,
  [company.emergencyPhone]: company.emergencyHref,
}

/** The ways to reach the company as links, wherever a sentence names one. */
const withLinks = (text: string) =>
  text.split(/(\S+@[\w.-]*\w|\(\d{3}\) \d{3}-\d{4})/).map((part) =>
    contacts[part] === undefined ? (
      part
    ) : (
      <a key={part} href={contacts[part]} className="rounded-sm text-harbor-700 underline underline-offset-3 hover:decoration-2">
        {part}
      </a>
    ),
  )
