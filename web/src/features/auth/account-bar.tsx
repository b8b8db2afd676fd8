import { LogOut } from 'lucide-react'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Link, NavLink } from '@/ui/link'
import { useAuth } from './use-session'

const links = [
  { to: paths.admin.posts, label: 'Posts' },
  { to: paths.admin.leads, label: 'Leads' },
  { to: paths.admin.links, label: 'Links' },
  { to: paths.admin.pictures, label: 'Pictures' },
]

/** Above every page of the administration: where one can go, who one is, and the way out. */
export function AccountBar() {
  const { user, signOut } = useAuth()
  return (
    <header className="no-print on-dark bg-harbor-950 text-harbor-100">
      <div className="container flex flex-wrap items-center gap-x-6 gap-y-1 py-2 text-sm">
        <Link to={paths.home} className="rounded-sm font-display font-bold text-white hover:text-gold-300">
          United Medical Waste
        </Link>
        <nav aria-label="Administration" className="flex gap-1 max-md:order-1 max-md:-mx-3 max-md:w-[calc(100%+1.5rem)]">
          {links.map(({ to, label }) => (
            <NavLink
              key={to}
              to={to}
              className="rounded-md px-3 py-2 font-semibold hover:bg-white/10 aria-[current=page]:bg-white aria-[current=page]:text-harbor-950"
            >
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="ml-auto flex min-w-0 items-center gap-3">
          <span className="hidden truncate text-harbor-200 sm:inline md:max-lg:hidden">{user?.email}</span>
          <Button variant="onDark" size="sm" onClick={() => void signOut()}>
            <LogOut aria-hidden="true" />
            <span className="whitespace-nowrap">Sign out</span>
          </Button>
        </div>
      </div>
    </header>
  )
}
