/** Joins the features: one table of routes under one layout, sessions only where they are needed. */
import { Suspense, lazy } from 'react'
import { Navigate, Route, Routes, generatePath, useLocation, useParams } from 'react-router-dom'
import { PageLoading } from '@/ui/page-loading'
import { ErrorBoundary } from './error-page'
import { Layout } from './layout'
import { ScrollToTop } from './scroll-to-top'
import { type SiteRoute, notFoundPage as NotFound, redirects, routeFor } from './routes'

type Areas = typeof import('./session-area')
let areas: Areas | undefined

/** Fetches the session's code; once it is here, its pages render without a fallback, which React would show for 0.3 s. */
export async function preloadSession(): Promise<Areas> {
  areas ??= await import('./session-area')
  return areas
}
const LateSessionArea = lazy(async () => ({ default: (await preloadSession()).SessionArea }))
const LateAdminArea = lazy(async () => ({ default: (await preloadSession()).AdminArea }))

function SessionArea() {
  const Area = areas?.SessionArea ?? LateSessionArea
  return <Area />
}

function AdminArea() {
  const Area = areas?.AdminArea ?? LateAdminArea
  return <Area />
}

function Redirect({ to }: { to: string }) {
  const params = useParams()
  const { search } = useLocation()
  return <Navigate to={generatePath(to, params) + search} replace />
}

/** Case matters, as it does to the server: each page has one address. */
function drawn({ path, Page, area }: SiteRoute) {
  const page = <Route path={path} caseSensitive element={<Page />} />
  if (area === 'public') return page
  return <Route element={<SessionArea />}>{area === 'admin' ? <Route element={<AdminArea />}>{page}</Route> : page}</Route>
}

export function Site() {
  const { pathname } = useLocation()
  // React Router gets the one row that fits: ranking all of them takes a phone longer than drawing most pages.
  const route = routeFor(pathname)
  return (
    <Layout>
      <ScrollToTop />
      <ErrorBoundary resetKey={pathname}>
        <Suspense fallback={<PageLoading />}>
          <Routes>
            {route
              ? drawn(route)
              : Object.entries(redirects).map(([from, to]) => <Route key={from} path={from} caseSensitive element={<Redirect to={to} />} />)}
            <Route path="*" element={<NotFound />} />
          </Routes>
        </Suspense>
      </ErrorBoundary>
    </Layout>
  )
}
