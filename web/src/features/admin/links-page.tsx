import { useState } from 'react'
import { shortDate } from '@/lib/dates'
import { paths } from '@/lib/paths'
import { Seo } from '@/lib/seo'
import { Button } from '@/ui/button'
import { Link } from '@/ui/link'
import { toast } from '@/ui/toast-store'
import { readAllTexts, useRedirects } from './api/list-links'
import { type DeadLink, deadLinksOf } from './dead-links'
import './admin.css'

/** Pages that are no article; what the site answers beside these is its 404. */
const PAGES = [
  paths.home, paths.services, paths.medicalWaste, paths.pharmaceutical, paths.complianceTraining, paths.industries, paths.about, paths.quote,
  paths.quickStart, paths.contact, paths.portal, paths.insights, paths.auth, paths.privacy, paths.terms, paths.accessibility, paths.feed,
  '/worcester', '/boston', '/providence', '/cape-cod', '/hartford', '/resources', '/blog', '/blog/:slug', '/quick-quote', '/local/:city',
  '/services/pharmaceutical-waste', '/sitemap.xml', '/robots.txt', '/og/*', '/assets/*', '/storage/*',
]

/** Where old addresses lead, and which links of articles lead nowhere. */
export default function LinksPage() {
  const { data: redirects = [], isPending, isError } = useRedirects()
  const [dead, setDead] = useState<DeadLink[] | null>(null)
  const [busy, setBusy] = useState(false)
  const check = async () => {
    setBusy(true)
    try {
      setDead(deadLinksOf(await readAllTexts(), PAGES, new Set(redirects.map(({ slug }) => slug)), window.location.origin))
    } catch {
      toast({ title: 'Error', description: 'The articles could not be read', variant: 'destructive' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="min-h-svh bg-granite-50">
      <Seo title="Links" description="Redirects and dead links" noindex />
      <div className="container grid gap-6 py-8 lg:py-10">
        <div>
          <h1 className="text-h2">Links</h1>
          <p className="mt-1.5 text-granite-600">Where old addresses lead, and which links lead nowhere</p>
        </div>
        <section aria-labelledby="redirects" className="rounded-lg border border-granite-200 bg-white">
          <h2 id="redirects" className="border-b border-granite-200 px-5 py-4 text-h3">
            Redirects
          </h2>
          {redirects.length === 0 ? (
            <p className="px-5 py-8 text-center text-granite-600">{isError ? 'The redirects could not be read.' : isPending ? 'Loading...' : 'No article ever had another address.'}</p>
          ) : (
            <Rows head={['Old address', 'Leads to', 'Since']}>
              {redirects.map(({ slug, retired_at, blog_posts: post }) => (
                <tr key={slug}>
                  <td className={cell}>{paths.article(slug)}</td>
                  <td className={cell}>
                    {post ? (
                      <Link to={paths.admin.post(post.id)} className="font-medium text-harbor-700 underline">
                        {post.title}
                      </Link>
                    ) : null}
                    {post?.published ? null : ' (a draft: answers 404)'}
                  </td>
                  <td className={`${cell} whitespace-nowrap`}>{shortDate(retired_at)}</td>
                </tr>
              ))}
            </Rows>
          )}
        </section>
        <section aria-labelledby="dead" className="rounded-lg border border-granite-200 bg-white">
          <div className="flex flex-wrap items-center justify-between gap-3 border-b border-granite-200 px-5 py-4">
            <h2 id="dead" className="text-h3">
              Dead links
            </h2>
            <Button size="sm" variant="outline" busy={busy} disabled={isPending} onClick={() => void check()}>
              Check all articles
            </Button>
          </div>
          <div role="status">
            {dead === null ? (
              <p className="px-5 py-8 text-center text-granite-600">Links to pages, articles and sections of this site are checked; other sites are not asked.</p>
            ) : dead.length === 0 ? (
              <p className="px-5 py-8 text-center text-granite-600">Every link within this site leads somewhere.</p>
            ) : (
              <Rows head={['Article', 'Link', 'Why']}>
                {dead.map(({ post, href, reason }, index) => (
                  // The same link may stand twice in one article.
                  // oxlint-disable-next-line react/no-array-index-key
                  <tr key={index}>
                    <td className={cell}>
                      <Link to={paths.admin.post(post.id)} className="font-medium text-harbor-700 underline">
                        {post.title}
                      </Link>
                    </td>
                    <td className={`${cell} break-all`}>{href}</td>
                    <td className={cell}>{reason}</td>
                  </tr>
                ))}
              </Rows>
            )}
          </div>
        </section>
      </div>
    </div>
  )
}

const cell = 'border-t border-granite-200 px-5 py-2.5 align-top'

function Rows({ head, children }: { head: readonly string[]; children: React.ReactNode }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-sm">
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" className="px-5 py-2 text-xs font-semibold text-granite-600">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
