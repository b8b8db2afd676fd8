import { type ComponentType, Suspense, lazy } from 'react'
import { Navigate, Route, Routes, matchPath, useLocation } from 'react-router-dom'
import { Boundary } from './frame/boundary'
import { Frame } from './frame/frame'
import { SignIn } from './frame/sign-in'
import { useDoor } from './lib/session'
import { Page } from './parts/page'
import { Empty, Loading } from './parts/states'
import { Toasts } from './parts/toasts'

/** A page comes when it is opened: nobody who looks at rows waits for the editor of SQL. */
function page(load: () => Promise<ComponentType>) {
  const Lazy = lazy(async () => ({ default: await load() }))
  return <Lazy />
}

const pages: readonly (readonly [string, ReturnType<typeof page>])[] = [
  ['/', page(async () => (await import('./frame/home')).Home)],
  ['/tables', page(async () => (await import('./tables/tables')).Tables)],
  ['/tables/:schema/:table', page(async () => (await import('./tables/tables')).Tables)],
  ['/users', page(async () => (await import('./users/users')).Users)],
  ['/users/:id', page(async () => (await import('./users/user')).UserPage)],
  ['/storage', page(async () => (await import('./storage/storage')).Storage)],
  ['/storage/:bucket', page(async () => (await import('./storage/storage')).Storage)],
  ['/schema', page(async () => (await import('./schema/schema')).Schema)],
  ['/migrations', page(async () => (await import('./schema/migrations')).Migrations)],
  ['/functions', page(async () => (await import('./functions/functions')).Functions)],
  ['/functions/:name', page(async () => (await import('./functions/function')).FunctionPage)],
  ['/schedules', page(async () => (await import('./functions/schedules')).Schedules)],
  ['/jobs', page(async () => (await import('./jobs/jobs')).Jobs)],
  ['/mail', page(async () => (await import('./jobs/mail')).Mail)],
  ['/realtime', page(async () => (await import('./watch/realtime')).Realtime)],
  ['/reports', page(async () => (await import('./watch/reports')).Reports)],
  ['/activity', page(async () => (await import('./watch/activity')).Activity)],
  ['/logs', page(async () => (await import('./watch/logs')).Logs)],
  ['/trace/:id', page(async () => (await import('./watch/logs')).Trace)],
  ['/audit', page(async () => (await import('./watch/audit')).AuditLog)],
  ['/settings', page(async () => (await import('./settings/settings')).Settings)],
  ['/doctor', page(async () => (await import('./watch/doctor')).Doctor)],
  ['/keys', page(async () => (await import('./settings/keys')).Keys)],
  ['/backups', page(async () => (await import('./settings/backups')).Backups)],
  ['/sql', page(async () => (await import('./sql/sql-page')).SqlPage)],
]

/** Pages for accounts that may edit records and nothing else. */
const forRecords: readonly string[] = ['/tables', '/tables/:schema/:table']

function NotOffered({ home, account }: { home: boolean; account: string }) {
  if (home) return <Navigate to="/tables" replace />
  return (
    <Page title="Not for this account">
      <Empty title={`The account ${account} may see and change rows, and nothing else.`} />
    </Page>
  )
}

export function App() {
  const { session } = useDoor()
  const { pathname } = useLocation()
  if (session === undefined) return <Loading what="Opening the console" />
  if (session === null) return <SignIn />
  const refused = session.kind === 'records' && !forRecords.some((path) => matchPath(path, pathname))
  return (
    <>
      <Frame>
        <Boundary>
          <Suspense fallback={<Loading />}>
            {refused ? (
              <NotOffered home={pathname === '/'} account={session.account} />
            ) : (
              <Routes>
                {pages.map(([path, element]) => (
                  <Route key={path} path={path} element={element} />
                ))}
                <Route
                  path="*"
                  element={
                    <Page title="No such page">
                      <Empty title="Nothing stands at this address." />
                    </Page>
                  }
                />
              </Routes>
            )}
          </Suspense>
        </Boundary>
      </Frame>
      <Toasts />
    </>
  )
}
