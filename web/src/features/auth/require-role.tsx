import { ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { Seo } from '@/lib/seo'
import { Button, ButtonLink } from '@/ui/button'
import { PageLoading } from '@/ui/page-loading'
import { useAuth } from './use-session'

/** Shows its children to holders of the role; everyone else signs in first or is told why not. */
export function RequireRole({ children }: { role: 'admin'; children: ReactNode }) {
  const { user, isAdmin, loading } = useAuth()
  const { pathname, search } = useLocation()
  if (loading) return <PageLoading />
  if (!user) return <Navigate to={paths.authThen(pathname + search)} replace />
  return isAdmin ? children : <AccessDenied />
}

function AccessDenied() {
  const { user, signOut } = useAuth()
  return (
    <div className="container flex min-h-[60vh] flex-col items-start justify-center py-16">
      <Seo title="Access Denied" description="This area is restricted to administrators only." noindex />
      <ShieldAlert aria-hidden="true" className="size-12 text-harbor-700" />
      <h1 className="mt-4 text-h1">Access Denied</h1>
      <p className="mt-5 text-lead">You don't have permission to access this page.</p>
      <p className="mt-2 text-granite-600">This area is restricted to administrators only.</p>
      <div className="mt-8 flex flex-wrap gap-3">
        <ButtonLink to={paths.home}>Return Home</ButtonLink>
        <Button variant="outline" onClick={() => void signOut()}>
          Sign out {user?.email}
        </Button>
      </div>
    </div>
  )
}
