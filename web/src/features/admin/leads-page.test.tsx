import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '@/lib/queries'
import { useLocation } from 'react-router-dom'
import { type Call, type Reply, fakeGateway } from '@/testing/fake-gateway'
import { fakeSocket } from '@/testing/fake-socket'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { dismiss, toastStore } from '@/ui/toast-store'
import LeadsPage from './leads-page'

beforeEach(() => {
  queryClient.clear()
  for (const { id } of toastStore.get()) dismiss(id)
})

const quote = {
  id: 'q-1', status: 'new', created_at: '2026-03-04T12:00:00+00:00', quick_start_service: false, facility_name: 'Harbor Clinic', facility_type: 'outpatient-clinic',
  contact_name: 'Dana Lee', email: 'dana@harbor.example', phone: '+1 508 555 0100', services: ['sharps', 'training'], waste_volume: '1-2', pickup_frequency: 'monthly',
  contact_priority: 'urgent', employee_count: '1-10', idempotency_key: 'k',
}
const message = {
  id: 'c-1', status: 'handled', created_at: '2026-03-05T12:00:00+00:00', name: 'Sam Poe', email: 'sam@lab.example', phone: null, company: 'Lab', subject: 'Pickup',
  message: 'Line one\nLine two', priority: 'emergency',
}
const held = {
  id: 'h-1', form: 'contact', reason: 'the hidden field “honeypot” was filled', received_at: '2026-03-03T12:00:00+00:00', released_at: null, idempotency_key: null, address: null,
  payload: { name: 'Real Person', email: 'real@clinic.example', subject: 'Help', message: 'Please call', priority: 'urgent', honeypot: 'autofilled' },
}

const list = (call: Call, table: string) => call.method === 'GET' && call.path === `/rest/v1/${table}`

/** Tables with these rows; a filter on status or kind of quote is obeyed. */
const gateway = (reply: (call: Call) => Reply | undefined = () => undefined) =>
  fakeGateway((call) => {
    const custom = reply(call)
    if (custom) return custom
    if (call.method === 'HEAD') return { headers: { 'content-range': call.path.endsWith('quarantine') ? '*/1' : '*/2' } }
    const wanted = call.query.get('status')?.slice(3)
    const rows = (all: { status: string }[]) => ({ body: all.filter(({ status }) => !wanted || status === wanted) })
    if (list(call, 'quote_requests')) return call.query.get('quick_start_service') === 'eq.false' ? rows([quote]) : { body: [] }
    if (list(call, 'contact_messages')) return rows([message])
    if (list(call, 'newsletter_subscriptions')) return { body: [] }
    if (list(call, 'quarantine')) return { body: [held] }
    if (call.method === 'PATCH') return { status: 204 }
    return undefined
  })

function Address() {
  return <output data-testid="address">{useLocation().search}</output>
}

const renderLeads = (query = '') =>
  renderAt(
    `/admin/leads${query}`,
    <>
      <LeadsPage />
      <Address />
      <Toaster />
    </>,
  )

test('new leads of all forms are shown first, with how many wait', async () => {
  gateway()
  renderLeads()
  expect(await screen.findByRole('button', { name: /^Dana Lee · Harbor Clinic/ })).toBeVisible()
  expect(screen.queryByText(/Sam Poe/)).toBeNull()
  expect(screen.getByText('Urgent')).toBeVisible()
  expect(await screen.findByRole('link', { name: 'All forms 8 waiting' })).toHaveAttribute('aria-current', 'page')
  expect(screen.getByRole('link', { name: 'Quarantine 1 waiting' })).toBeVisible()
})

test('leads of several forms are merged by their time', async () => {
  gateway()
  renderLeads('?status=all')
  await screen.findByRole('button', { name: /^Sam Poe/ })
  const names = screen.getAllByRole('button', { name: /·/ }).map((button) => button.textContent)
  expect(names.map((name) => name?.slice(0, 7))).toEqual(['Sam Poe', 'Dana Le'])
})

test('form and state are filters of the address', async () => {
  const calls = gateway()
  renderLeads()
  await userEvent.click(await screen.findByRole('link', { name: /^Contact message/ }))
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'Handled')
  expect(await screen.findByRole('button', { name: /^Sam Poe/ })).toBeVisible()
  expect(screen.getByTestId('address')).toHaveTextContent('?form=contact&status=handled')
  expect(calls.filter((call) => list(call, 'contact_messages')).at(-1)?.query.get('status')).toBe('eq.handled')
})

test('the detail shows every answer in words', async () => {
  gateway()
  renderLeads()
  await userEvent.click(await screen.findByRole('button', { name: /^Dana Lee/ }))
  const dialog = screen.getByRole('dialog', { name: 'Quote request' })
  for (const words of ['Outpatient Clinic', 'Sharps Management, Compliance Training', 'dana@harbor.example', 'Mar 4, 2026, ']) expect(dialog).toHaveTextContent(words)
  expect(within(dialog).getByRole('link', { name: 'Write an e-mail' })).toHaveAttribute('href', 'mailto:dana@harbor.example')
  expect(within(dialog).getByRole('link', { name: 'Call' })).toHaveAttribute('href', 'tel:+15085550100')
})

test('a lead can be marked as handled', async () => {
  const calls = gateway()
  renderLeads()
  await userEvent.click(await screen.findByRole('button', { name: 'Mark as handled: Dana Lee' }))
  expect(await screen.findByText('Marked as handled')).toBeVisible()
  const update = calls.find(({ method }) => method === 'PATCH')
  expect(update?.url).toBe('/rest/v1/quote_requests?id=eq.q-1')
  expect(update?.body).toEqual({ status: 'handled' })
})

test('a held submission is released through its form, once, and leaves the quarantine', async () => {
  const calls = gateway((call) => (call.path === '/functions/v1/submit-contact' ? { body: { ok: true } } : undefined))
  renderLeads('?form=quarantine')
  await userEvent.click(await screen.findByRole('button', { name: /^real@clinic.example/ }))
  const dialog = screen.getByRole('dialog', { name: 'Held submission' })
  expect(dialog).toHaveTextContent('the hidden field “honeypot” was filled')
  expect(dialog).toHaveTextContent('Please call')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Release' }))
  expect(await screen.findByText('Released: it is now among the leads')).toBeVisible()
  const sent = calls.find(({ path }) => path === '/functions/v1/submit-contact')
  expect(sent?.body).toEqual({ ...held.payload, honeypot: '' })
  expect(sent?.headers.get('idempotency-key')).toBe('release-h-1')
  expect(calls.find(({ method, path }) => method === 'PATCH' && path === '/rest/v1/quarantine')?.body).toEqual({ released_at: expect.stringMatching(/^\d{4}-/) })
})

test('a submission that its form refuses stays held, and the reason is said', async () => {
  const calls = gateway((call) =>
    call.path === '/functions/v1/submit-contact' ? { status: 422, body: { ok: false, error: 'Please enter a valid email address.' } } : undefined,
  )
  renderLeads('?form=quarantine')
  await userEvent.click(await screen.findByRole('button', { name: /^real@clinic.example/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Release' }))
  expect(await screen.findByText('The submission could not be released: Please enter a valid email address.')).toBeVisible()
  expect(calls.filter(({ method }) => method === 'PATCH')).toEqual([])
  expect(screen.getByRole('dialog', { name: 'Held submission' })).toBeVisible()
})

test('what is shown can be exported for a spreadsheet', async () => {
  const files: Blob[] = []
  URL.createObjectURL = vi.fn((file: Blob) => {
    files.push(file)
    return 'blob:1'
  }) as typeof URL.createObjectURL
  URL.revokeObjectURL = vi.fn<(url: string) => void>()
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  gateway()
  renderLeads('?form=quote')
  await screen.findByRole('button', { name: /^Dana Lee/ })
  await userEvent.click(screen.getByRole('button', { name: 'Export CSV' }))
  expect(await screen.findByText('1 rows')).toBeVisible()
  expect(click).toHaveBeenCalledOnce()
  const csv = await files[0]?.text()
  expect(csv).toContain('facility_name')
  expect(csv).toContain("'+1 508 555 0100")
  expect(csv).not.toContain('idempotency_key')
})

test('older leads come on demand', async () => {
  const rows = (from: number) => Array.from({ length: 25 }, (_, index) => ({ ...message, id: `m-${from + index}`, name: `Visitor ${from + index}`, status: 'new', created_at: new Date(2e12 - (from + index) * 1000).toISOString() }))
  const calls = gateway((call) => (list(call, 'contact_messages') ? { body: call.query.has('created_at') ? rows(25).slice(0, 3) : rows(0) } : undefined))
  renderLeads('?form=contact')
  await screen.findByRole('button', { name: /^Visitor 24/ })
  await userEvent.click(screen.getByRole('button', { name: 'Show older leads' }))
  expect(await screen.findByRole('button', { name: /^Visitor 27/ })).toBeVisible()
  expect(calls.filter((call) => list(call, 'contact_messages')).at(-1)?.query.get('created_at')).toBe(`lt.${new Date(2e12 - 24_000).toISOString()}`)
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Show older leads' })).toBeNull())
})

test('a list that cannot be loaded says so', async () => {
  gateway((call) => (call.method === 'GET' ? { status: 403, body: { code: '42501', message: 'no' } } : undefined))
  renderLeads()
  expect(await screen.findByText('The leads could not be loaded. Reload the page to try again.')).toBeVisible()
})

test('a lead that arrives is listed and told of, without a reload', async () => {
  const socket = fakeSocket()
  let messages = [message]
  gateway((call) => (list(call, 'contact_messages') ? { body: messages } : undefined))
  renderLeads()
  expect(await screen.findByText(/Sam Poe/)).toBeVisible()
  await waitFor(() => expect(socket.joined()).toBe(true))
  messages = [{ ...message, id: 'c-2', name: 'Kim New', status: 'new' }, message]
  socket.tell('contact_messages', 'INSERT')
  expect(await screen.findByText(/Kim New/)).toBeVisible()
  expect(screen.getByText('A new lead has just arrived')).toBeVisible()
  socket.tell('quote_requests', 'INSERT')
  socket.tell('quarantine', 'INSERT')
  socket.tell('contact_messages', 'UPDATE')
  expect(await screen.findByText('2 new leads since you opened this page')).toBeVisible()
  vi.unstubAllGlobals()
})
