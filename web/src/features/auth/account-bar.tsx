import { LogOut } from 'lucide-react'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { NavLink } from '@/ui/link'
import { useAuth } from './use-session'

const links = [
  { to: paths.admin.posts, label: 'Posts' },
  { to: paths.admin.leads, label: 'Leads' },
]

/** Above every page of the administration: where one can go, who one is, and the way out. */
export function AccountBar() {
  const { user, signOut } = useAuth()
  return (
    <div className="no-print border-b border-granite-200 bg-granite-50">
      <div className="container flex flex-wrap items-center gap-x-6 gap-y-1 py-1.5 text-sm">
        <nav aria-label="Administration" className="flex gap-1">
          {links.map(({ to, label }) => (
            <NavLink
              key={to}
              to={to}
              className="rounded-md px-3 py-2 font-semibold text-granite-600 hover:bg-harbor-50 aria-[current=page]:bg-harbor-100 aria-[current=page]:text-harbor-800"
            >
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="ml-auto flex min-w-0 items-center gap-3">
          <span className="hidden truncate text-granite-600 sm:inline">{user?.email}</span>
          <Button variant="quiet" size="sm" onClick={() => void signOut()}>
            <LogOut aria-hidden="true" />
            <span className="whitespace-nowrap">Sign out</span>
          </Button>
        </div>
      </div>
    </div>
  )
}
