import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { serviceLinks } from '@/content/site'
import { track } from '@/lib/analytics'
import { Seo } from '@/lib/seo'
import { ButtonLink } from '@/ui/button'
import { Link } from '@/ui/link'

const popular = [...serviceLinks, { label: 'Get a Quote', to: paths.quote }]

export default function NotFoundPage() {
  const { pathname } = useLocation()

  useEffect(() => {
    track('page_not_found', { page_path: pathname, page_referrer: document.referrer })
  }, [pathname])

  const onClick = (label: string, to: string) => () => track('umw_navigation_click', { link_text: label, link_url: to, link_location: '404' })
  return (
    <>
      <Seo title="Page Not Found" description="The page you are looking for does not exist." noindex />
      <div className="container grid items-center gap-12 py-16 lg:grid-cols-[7fr_5fr] lg:py-24">
        <div>
          <h1>
            <span className="block font-display text-hero font-extrabold text-harbor-700 tabular-nums">404</span>
            <span className="mt-3 block text-h1">Page Not Found</span>
          </h1>
          <p className="mt-5 max-w-[48ch] text-lead text-granite-600">This address is off the chart. The page may have moved, or the link may have a typo in it.</p>
          <div className="mt-8 flex flex-wrap gap-3">
            <ButtonLink to={paths.home} onClick={onClick('Return Home', paths.home)}>
              Return Home
            </ButtonLink>
            <ButtonLink variant="outline" to={paths.services} onClick={onClick('View Services', paths.services)}>
              View Services
            </ButtonLink>
            <ButtonLink variant="outline" to={paths.contact} onClick={onClick('Contact Us', paths.contact)}>
              Contact Us
            </ButtonLink>
          </div>
          <nav aria-label="Popular pages" className="mt-12">
            <h2 className="text-h4">Popular pages</h2>
            <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1">
              {popular.map(({ label, to }) => (
                <li key={to}>
                  <Link to={to} onClick={onClick(label, to)} className="inline-block rounded-sm py-1.5 font-medium text-harbor-700 underline underline-offset-4 hover:text-harbor-900">
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <Buoy />
      </div>
    </>
  )
}

function Buoy() {
  return (
    <svg viewBox="0 0 360 340" aria-hidden="true" fill="none" strokeLinecap="round" className="hidden w-full max-w-sm justify-self-end lg:block">
      <path d="M10 252q22-11 44 0t44 0 44 0 44 0 44 0 44 0 44 0 44 0M34 282q22-11 44 0t44 0 44 0 44 0 44 0 44 0M66 312q22-11 44 0t44 0 44 0 44 0 44 0" stroke="#8fc0c5" strokeWidth="3" />
      <g transform="rotate(9 180 200)">
        <path d="M148 226h64l-18-128h-28z" fill="#0f5d6b" />
        <path d="M154 184h52l5 34h-62zM161 132h38l4 28h-46z" fill="#fff" />
        <path d="M132 226h96l-14 30h-68z" fill="#0a2a35" />
        <circle cx="180" cy="78" r="17" fill="#f4b93a" />
        <path d="M180 38v10M216 58l-9 6M144 58l9 6" stroke="#dd9e17" strokeWidth="4" />
      </g>
    </svg>
  )
}
