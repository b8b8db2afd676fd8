/** Joins the features: one table of routes under one layout, sessions only where they are needed. */
import { type ReactNode, Suspense, lazy } from 'react'
import { Navigate, Route, Routes, generatePath, useLocation, useParams } from '@/lib/router'
import { PageLoading } from '@/ui/page-loading'
import { ErrorBoundary } from './error-page'
import { Layout } from './layout'
import { ScrollToTop } from './scroll-to-top'
import { type SiteRoute, notFoundPage as NotFound, redirects, routes } from './routes'

type Areas = typeof import('./session-area')
let areas: Areas | undefined

/** Fetches the session's code; once it is here, its pages render without a fallback, which React would show for 0.3 s. */
export async function preloadSession(): Promise<Areas> {
  areas ??= await import('./session-area')
  return areas
}
const LateSessionArea = lazy(async () => ({ default: (await preloadSession()).SessionArea }))
const LateAdminArea = lazy(async () => ({ default: (await preloadSession()).AdminArea }))

function SessionArea({ children }: { children: ReactNode }) {
  const Area = areas?.SessionArea ?? LateSessionArea
  return <Area>{children}</Area>
}

function AdminArea({ children }: { children: ReactNode }) {
  const Area = areas?.AdminArea ?? LateAdminArea
  return <Area>{children}</Area>
}

function Redirect({ to }: { to: string }) {
  const params = useParams()
  const { search } = useLocation()
  return <Navigate to={generatePath(to, params) + search} replace />
}

/** A page with what its area puts around it. */
function inArea({ area, Page }: SiteRoute) {
  switch (area) {
    case 'public':
      return <Page />
    case 'session':
      return <SessionArea><Page /></SessionArea>
    case 'admin':
      return <SessionArea><AdminArea><Page /></AdminArea></SessionArea>
  }
}

export function Site() {
  const { pathname } = useLocation()
  return (
    <Layout>
      <ScrollToTop />
      <ErrorBoundary resetKey={pathname}>
        <Suspense fallback={<PageLoading />}>
          <Routes>
            {routes.map((route) => (
              <Route key={route.path} path={route.path} element={inArea(route)} />
            ))}
            {Object.entries(redirects).map(([from, to]) => (
              <Route key={from} path={from} element={<Redirect to={to} />} />
            ))}
            <Route path="*" element={<NotFound />} />
          </Routes>
        </Suspense>
      </ErrorBoundary>
    </Layout>
  )
}
