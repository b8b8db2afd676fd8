import { type ComponentType, Suspense, lazy } from 'react'
import { company, footerColumns, footerHours, policyLinks } from '@/content/site'
import { whenVisible } from '@/lib/when-visible'
import { Email } from '@/parts/email'
import { Contours } from '@/ui/contours'
import { Icon } from '@/ui/icon'
import { Link } from '@/ui/link'
import { Logo } from './logo'
import { paths } from '@/lib/paths'

// The prerendered form stays in place until its code arrives, which is when the footer comes near.
const NEWSLETTER = 'newsletter'
const NewsletterForm = lazy(async () => {
  await whenVisible(NEWSLETTER)
  try {
    // Undefined while the page is about to be loaded anew, see page-updates.ts.
    const loaded = (await import('@/features/forms/newsletter-form')) as { default: ComponentType } | undefined
    return loaded ?? { default: NoForm }
  } catch {
    return { default: NoForm }
  }
})

/** A form whose code cannot be had must not take the page with it. */
function NoForm() {
  return (
    <p className="rounded-lg bg-white p-5 text-ink sm:p-6">
      The newsletter form could not be loaded. Reload the page to try again, or write to {company.email}: a person reads it.
    </p>
  )
}

/** The last column goes below the other two on a phone, in two columns itself. */
const WIDE = 'max-sm:col-span-2 max-sm:[&>ul]:grid-cols-2'

export function Footer() {
  return (
    <footer className="no-print on-dark relative overflow-hidden bg-harbor-950 text-harbor-100">
      <Contours className="opacity-40" />
      <div className="relative container py-9 sm:py-16">
        <div className="grid gap-6 border-b border-white/15 pb-8 sm:gap-10 sm:pb-12 lg:grid-cols-[1fr_1.35fr] lg:gap-16">
          <div>
            <h2 className="text-h3 text-white">Rule changes, before they reach your inspector</h2>
            <p className="mt-2 max-w-[46ch] text-sm">One short e-mail a month on medical and pharmaceutical waste rules in New England. No sales sequence, and every issue has an unsubscribe link.</p>
          </div>
          <div id={NEWSLETTER} className="min-h-62">
            <Suspense fallback={null}>
              <NewsletterForm />
            </Suspense>
          </div>
        </div>

        <div className="grid grid-cols-2 gap-x-6 gap-y-6 pt-8 sm:gap-10 sm:pt-12 lg:grid-cols-[1.5fr_1fr_1fr_1fr]">
          <div className="col-span-2 sm:col-span-1">
            <Link to={paths.home} aria-label="United Medical Waste, home" className="inline-block rounded-sm">
              <Logo onDark />
            </Link>
            <address className="mt-5 grid gap-x-4 gap-y-2.5 sm:mt-6 sm:gap-3 text-sm not-italic">
              <a href={company.phoneHref} className="flex items-center gap-3 rounded-sm hover:text-gold-300">
                <Icon name="phone" className="size-4 text-gold-400" />
                {company.phone}
              </a>
              <a href={company.emailHref} className="flex items-center gap-3 rounded-sm hover:text-gold-300">
                <Icon name="mail" className="size-4 shrink-0 text-gold-400" />
                <Email address={company.email} />
              </a>
              <span className="flex items-center gap-3">
                <Icon name="clock" className="size-4 text-gold-400" />
                {footerHours}
              </span>
              <span className="flex items-center gap-3">
                <Icon name="pin" className="size-4 text-gold-400" />
                Worcester, Massachusetts
              </span>
            </address>
          </div>
          {footerColumns.map(({ title, links }, index) => (
            <nav key={title} aria-label={title} className={index === footerColumns.length - 1 ? WIDE : undefined}>
              <h2 className="text-base font-bold tracking-normal text-white">{title}</h2>
              <ul className="mt-2 grid gap-x-6 text-sm sm:mt-4 sm:gap-1">
                {links.map(({ label, to }) => (
                  <li key={to}>
                    <Link to={to} className="inline-block rounded-sm py-1 hover:text-gold-300 hover:underline">
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
          ))}
        </div>

        <div className="mt-8 flex flex-wrap justify-between gap-x-8 gap-y-2 border-t border-white/15 pt-6 text-xs text-harbor-200">
          <ul className="flex w-full flex-wrap gap-x-6 gap-y-1">
            {policyLinks.map(({ label, to }) => (
              <li key={to}>
                <Link to={to} className="inline-block rounded-sm py-1 hover:text-gold-300 hover:underline">
                  {label}
                </Link>
              </li>
            ))}
          </ul>
          <p>© United Medical Waste. Serving New England since {company.since}.</p>
          <p>Maine · New Hampshire · Vermont · Massachusetts · Rhode Island · Connecticut</p>
        </div>
      </div>
    </footer>
  )
}
