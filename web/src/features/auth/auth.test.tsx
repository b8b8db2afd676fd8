import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Route, Routes, useLocation } from 'react-router-dom'
import { expect, test, vi } from 'vitest'
import { client } from '@/lib/client'
import { ADMIN_ID, type Call, PGRST116, type Reply, fakeGateway, rememberSession, sessionFor } from '@/testing/fake-gateway'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import LoginPage from './login-page'
import { RequireRole } from './require-role'
import { AuthProvider, useAuth } from './use-session'

const isRoleCheck = ({ path }: Call) => path === '/rest/v1/user_roles'
const isSignIn = ({ path }: Call) => path === '/auth/v1/token'

function Address() {
  const { pathname, search } = useLocation()
  return <output data-testid="address">{pathname + search}</output>
}

function renderSite(path: string) {
  return renderAt(
    path,
    <AuthProvider>
      <Routes>
        <Route path="/auth" element={<LoginPage />} />
        <Route path="/admin/*" element={<RequireRole role="admin"><h1>Secret page</h1></RequireRole>} />
        <Route path="*" element={<h1>Public page</h1>} />
      </Routes>
      <Address />
      <Toaster />
    </AuthProvider>,
  )
}

const address = () => screen.getByTestId('address').textContent

async function logIn() {
  await userEvent.type(await screen.findByLabelText(/Email/), 'admin@example.com')
  await userEvent.type(screen.getByLabelText(/Password/), 'correct horse')
  await userEvent.click(screen.getByRole('button', { name: 'Log In' }))
}

test('useAuth outside of AuthProvider says so', () => {
  const Lost = () => <>{useAuth().user?.email}</>
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(() => renderAt('/', <Lost />)).toThrow('useAuth must be used within an AuthProvider')
})

test('a signed-out visitor of a protected page is sent to sign in and told where to return', async () => {
  fakeGateway(() => undefined)
  renderSite('/admin/blog?status=drafts')
  expect(await screen.findByRole('heading', { name: 'Admin Login' })).toBeVisible()
  expect(address()).toBe('/auth?returnTo=%2Fadmin%2Fblog%3Fstatus%3Ddrafts')
})

test('an administrator sees the page after exactly the role check of the contract', async () => {
  rememberSession()
  const calls = fakeGateway((call) => (isRoleCheck(call) ? { body: { role: 'admin' } } : undefined))
  renderSite('/admin/blog')
  expect(await screen.findByText('Secret page')).toBeVisible()
  const [check] = calls.filter(isRoleCheck)
  expect(check?.url).toBe(`/rest/v1/user_roles?select=role&user_id=eq.${ADMIN_ID}&role=eq.admin`)
  expect(check?.headers.get('accept')).toContain('application/vnd.pgrst.object+json')
})

test.each<[string, Reply]>([
  ['a user without the role', PGRST116],
  ['a failing role check', { status: 500, body: { code: 'XX000', message: 'broken' } }],
])('%s is denied', async (_title, reply) => {
  rememberSession()
  fakeGateway((call) => (isRoleCheck(call) ? reply : undefined))
  renderSite('/admin/blog')
  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeVisible()
  expect(screen.getByText("You don't have permission to access this page.")).toBeVisible()
  expect(screen.getByText('This area is restricted to administrators only.')).toBeVisible()
  expect(screen.queryByText('Secret page')).toBeNull()
})

test('signing in greets and returns to the page asked for', async () => {
  const calls = fakeGateway((call) => {
    if (isSignIn(call)) return { body: sessionFor() }
    return isRoleCheck(call) ? { body: { role: 'admin' } } : undefined
  })
  renderSite('/auth?returnTo=%2Fadmin%2Fblog')
  await logIn()
  expect(await screen.findByText('Secret page')).toBeVisible()
  expect(address()).toBe('/admin/blog')
  expect(screen.getByText('Welcome back!')).toBeVisible()
  expect(screen.getByText("You've successfully logged in.")).toBeVisible()
  expect(calls.find(isSignIn)?.body).toMatchObject({ email: 'admin@example.com', password: 'correct horse' })
})

test('a wrong password shows the message of the server and keeps the form', async () => {
  fakeGateway((call) =>
    isSignIn(call) ? { status: 400, body: { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' } } : undefined,
  )
  renderSite('/auth')
  await logIn()
  expect(await screen.findByText('Login failed')).toBeVisible()
  expect(screen.getByText('Invalid login credentials')).toBeVisible()
  expect(screen.getByLabelText(/Email/)).toHaveValue('admin@example.com')
})

test('the button says so while signing in', async () => {
  let finish: (reply: Reply) => void = () => undefined
  fakeGateway((call) => (isSignIn(call) ? new Promise<Reply>((resolve) => (finish = resolve)) : PGRST116))
  renderSite('/auth')
  await logIn()
  expect(await screen.findByRole('button', { name: 'Logging in...' })).toBeDisabled()
  finish({ body: sessionFor() })
  await waitFor(() => expect(address()).toBe('/'))
})

test('opening the sign-in page while signed in goes home without returnTo', async () => {
  rememberSession()
  fakeGateway(() => PGRST116)
  renderSite('/auth')
  expect(await screen.findByText('Public page')).toBeVisible()
  expect(address()).toBe('/')
})

test('a session that ends sends the administrator to sign in again', async () => {
  rememberSession()
  fakeGateway((call) => (isRoleCheck(call) ? { body: { role: 'admin' } } : { status: 204 }))
  renderSite('/admin/blog/new')
  await screen.findByText('Secret page')
  await client().auth.signOut()
  expect(await screen.findByRole('heading', { name: 'Admin Login' })).toBeVisible()
  expect(address()).toBe('/auth?returnTo=%2Fadmin%2Fblog%2Fnew')
})
