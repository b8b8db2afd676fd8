import { useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { company, navigation, serviceLinks } from '@/content/site'
import { states } from '@/content/locations'
import { trackButton } from '@/lib/analytics'
import { ButtonLink } from '@/ui/button'
import { Icon, type IconName } from '@/ui/icon'
import { Link, NavLink } from '@/ui/link'
import { Logo } from './logo'
import { paths } from '@/lib/paths'
import { ServicesMenu } from './services-menu'

const linkClass = 'rounded-sm px-3 py-2.5 text-[1rem] font-medium hover:text-harbor-700 aria-[current=page]:text-harbor-700 aria-[current=page]:underline aria-[current=page]:decoration-gold-400 aria-[current=page]:decoration-3 aria-[current=page]:underline-offset-8'

export function Header() {
  return (
    <header className="no-print">
      <UtilityBar />
      <NavigationBar />
    </header>
  )
}

function UtilityBar() {
  const accountLink = (label: string, icon: IconName) => (
    <Link
      to={paths.portal}
      onClick={() => trackButton(label, 'utility_bar')}
      className="flex min-h-10 items-center gap-2 rounded-sm px-1 whitespace-nowrap hover:text-gold-300"
    >
      <Icon name={icon} className="size-4" />
      {label}
    </Link>
  )
  return (
    <div className="on-dark bg-harbor-950 text-sm text-harbor-100">
      <div className="container flex items-center justify-between gap-3 sm:gap-6">
        <p className="hidden items-center gap-6 md:flex">
          <a href={company.emergencyHref} className="flex items-center gap-2 rounded-sm hover:text-gold-300">
            <Icon name="clock" className="size-4 text-gold-400" />
            24/7 emergency: {company.emergencyPhone}
          </a>
          <span className="hidden items-center gap-2 lg:flex">
            <Icon name="pin" className="size-4 text-gold-400" />
            {states.map(({ abbr }) => abbr).join(' · ')}
          </span>
        </p>
        <div className="ml-auto flex w-full items-center justify-between gap-3 sm:gap-6 md:w-auto">
          {accountLink('Customer Login', 'user')}
          {accountLink('Make Payment', 'card')}
        </div>
      </div>
    </div>
  )
}

function NavigationBar() {
  const { pathname } = useLocation()
  // Open on one page only: following a link closes the menu without further ado.
  const [openAt, setOpenAt] = useState<string | null>(null)
  const open = openAt === pathname
  const setOpen = (next: boolean) => setOpenAt(next ? pathname : null)

  useEffect(() => {
    if (!open) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpenAt(null)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [open])

  return (
    <div className="border-b border-granite-200 bg-white">
      <div className="container flex h-20 items-center justify-between gap-4">
        <Link to={paths.home} aria-label="United Medical Waste, home" className="rounded-sm">
          <Logo />
        </Link>

        <nav aria-label="Main" className="hidden items-center lg:flex">
          <NavLink to={paths.home} end className={linkClass}>
            {navigation.home.label}
          </NavLink>
          <ServicesMenu linkClass={linkClass} />
          {navigation.rest.map(({ label, to }) => (
            <NavLink key={to} to={to} className={linkClass}>
              {label}
            </NavLink>
          ))}
        </nav>

        <div className="flex items-center gap-2">
          <span className="hidden sm:block">
            <ButtonLink to={paths.quote} variant="gold" onClick={() => trackButton('Get Quote', 'navigation')}>
              Get Quote
            </ButtonLink>
          </span>
          <button
            type="button"
            aria-expanded={open}
            aria-controls="mobile-menu"
            aria-label={open ? 'Close menu' : 'Open menu'}
            onClick={() => setOpen(!open)}
            className="grid size-12 place-items-center rounded-md text-ink hover:bg-granite-100 lg:hidden"
          >
            {open ? <Icon name="close" className="size-6" /> : <Icon name="menu" className="size-6" />}
          </button>
          {/* In its place where no script will ever run; the address opens the menu, see styles.css. */}
          <noscript>
            <a href="#mobile-menu" className="absolute top-auto right-5 -mt-6 grid size-12 place-items-center rounded-md bg-white sm:right-8 lg:hidden">
              <span className="sr-only">Menu</span>
              <Icon name="menu" className="size-6" />
            </a>
          </noscript>
        </div>
      </div>
      <MobileMenu open={open} />
    </div>
  )
}

function MobileMenu({ open }: { open: boolean }) {
  const item = 'block rounded-md px-3 py-3 font-medium hover:bg-harbor-50 aria-[current=page]:bg-harbor-50 aria-[current=page]:text-harbor-700'
  return (
    <nav id="mobile-menu" aria-label="Mobile" hidden={!open} className="target-opens border-t border-granite-200 lg:hidden">
      <div className="container grid gap-0.5 py-4">
        <NavLink to={paths.home} end className={item}>
          {navigation.home.label}
        </NavLink>
        <NavLink to={paths.services} end className={item}>
          {navigation.services.label}
        </NavLink>
        <div className="ml-3 border-l border-granite-200 pl-3">
          {serviceLinks.map(({ label, to }) => (
            <NavLink key={to} to={to} className={item}>
              {label}
            </NavLink>
          ))}
        </div>
        {navigation.rest.map(({ label, to }) => (
          <NavLink key={to} to={to} className={item}>
            {label}
          </NavLink>
        ))}
        <div className="mt-3 grid gap-3 sm:hidden">
          <ButtonLink to={paths.quote} variant="gold" wide onClick={() => trackButton('Get Quote', 'mobile_menu')}>
            Get Quote
          </ButtonLink>
        </div>
      </div>
    </nav>
  )
}
