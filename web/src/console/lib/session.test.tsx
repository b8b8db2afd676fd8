import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router-dom'
import { expect, test, vi } from 'vitest'
import { App } from '../app'
import { SessionProvider, takeCode } from './session'

const session = { token: 't0', account: 'owner', read_only: false, project: 'Depot', version: '0.8.0', api_url: 'http://127.0.0.1:1', publishable_key: null, services: [] }

function answering(answer: (path: string, init: RequestInit) => [number, unknown]) {
  const calls: [string, RequestInit][] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
    calls.push([path, init])
    const [status, body] = answer(path, init)
    return Response.json(body, { status })
  })
  return calls
}

function open(code: string, path = '/') {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SessionProvider code={code}>
        <MemoryRouter initialEntries={[path]}>
          <App />
        </MemoryRouter>
      </SessionProvider>
    </QueryClientProvider>,
  )
}

test('the code leaves the address before anything is asked', () => {
  window.history.replaceState(null, '', '/_console/#code=abc')
  expect(takeCode()).toBe('abc')
  expect(window.location.href).not.toContain('abc')
})

test('a key is sent once, opens the console and stands nowhere in the browser', async () => {
  const calls = answering((path, { method }) => {
    if (path.endsWith('/session')) return method === 'POST' ? [200, session] : [401, { code: 'no_session', message: 'Sign in' }]
    return [200, []]
  })
  open('')
  const key = await screen.findByLabelText('Secret key or code')
  await userEvent.type(key, 'sb_secret_x{Enter}')
  expect(await screen.findByRole('navigation', { name: 'Console' })).toBeVisible()
  expect(calls.filter(([, init]) => String(init.body).includes('sb_secret_x'))).toHaveLength(1)
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('sb_secret_x')
})

test('a wrong key says so beside the field', async () => {
  answering((_path, { method }) => [method === 'POST' ? 403 : 401, { code: method === 'POST' ? 'wrong_key' : 'no_session', message: 'That key opens nothing.' }])
  open('')
  await userEvent.type(await screen.findByLabelText('Secret key or code'), 'sb_secret_x{Enter}')
  expect(await screen.findByText('That key opens nothing.')).toBeVisible()
})

test('an account gets in by its name and password, which stand nowhere in the browser', async () => {
  const calls = answering((path, { method }) => {
    if (path.endsWith('/session')) return method === 'POST' ? [200, session] : [401, { code: 'no_session', message: 'Sign in' }]
    return [200, []]
  })
  open('')
  await userEvent.type(await screen.findByLabelText('Account'), ' ann ')
  await userEvent.type(screen.getByLabelText('Password'), 'an apple a week{Enter}')
  expect(await screen.findByRole('navigation', { name: 'Console' })).toBeVisible()
  const sent = calls.find(([path, { method }]) => path.endsWith('/session') && method === 'POST')
  expect(JSON.parse(String(sent?.[1].body))).toEqual({ account: 'ann', password: 'an apple a week', read_only: false })
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('apple')
})

test('an account for records is offered the tables, and told so elsewhere', async () => {
  const catalog = { version: '1', schemas: [{ name: 'public', exposed: true, platform: false }], tables: [], functions: [], enums: [], extensions: [], publications: [], roles: [] }
  const calls = answering((path) => (path.endsWith('/session') ? [200, { ...session, account: 'ann', kind: 'records' }] : [200, catalog]))
  open('')
  const navigation = await screen.findByRole('navigation', { name: 'Console' })
  expect(within(navigation).getAllByRole('link').map((link) => link.textContent)).toEqual(['Table editor'])
  expect(await screen.findByText('No tables in this schema.')).toBeVisible()
  expect(screen.queryByText('New table')).toBeNull()
  expect(new Set(calls.map(([path]) => path))).toEqual(new Set(['/_console/api/session', '/_console/api/catalog']))
})

test('a page that is not for an account says so and asks for nothing', async () => {
  const calls = answering((path) => (path.endsWith('/session') ? [200, { ...session, account: 'ann', kind: 'records' }] : [200, []]))
  open('', '/sql')
  expect(await screen.findByText('The account ann may see and change rows, and nothing else.')).toBeVisible()
  expect(calls.map(([path]) => path)).toEqual(['/_console/api/session'])
})
