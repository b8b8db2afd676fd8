import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, useLocation, useNavigate } from 'react-router-dom'
import { expect, test } from 'vitest'
import { renderAt } from '@/testing/render-app'
import { Site } from './router'
import { notFoundPage, pageFor } from './routes'

function Where() {
  const { pathname, search } = useLocation()
  return <span data-testid="where">{pathname + search}</span>
}

const open = (path: string) =>
  renderAt(
    path,
    <>
      <Site />
      <Where />
    </>,
  )

test.each([
  ['/', 'Medical waste, handled from pickup to proof.'],
  ['/services', 'Every regulated stream in your building, one phone number.'],
  ['/services/pharmaceutical', 'Expired, partial, wasted: every dose accounted for.'],
  ['/industries', 'Your kind of building has its own kind of waste.'],
  ['/about', 'A regional company, on purpose.'],
  ['/cape-cod', 'Medical waste disposal on Cape Cod'],
  ['/quick-start-quote', 'Quick Start Medical Waste Service'],
  ['/customer-portal', 'Customer Portal'],
  ['/no/such/page', '404Page Not Found'],
])('%s shows its page', async (path, heading) => {
  open(path)
  expect(await screen.findByRole('heading', { level: 1, name: heading }, { timeout: 10_000 })).toBeVisible()
})

test.each([
  ['/quick-quote?location=boston', '/quick-start-quote?location=boston'],
  ['/services/pharmaceutical-waste', '/services/pharmaceutical'],
  ['/local/cape-cod', '/cape-cod'],
  ['/resources', '/insights'],
  ['/blog/a-b', '/insights/a-b'],
])('%s leads to %s', async (from, to) => {
  open(from)
  await waitFor(() => expect(screen.getByTestId('where')).toHaveTextContent(to))
})

test('a redirect takes the place of the address it came from', async () => {
  function Back() {
    const navigate = useNavigate()
    return (
      <button type="button" onClick={() => void navigate(-1)}>
        Back
      </button>
    )
  }
  render(
    <MemoryRouter initialEntries={['/about', '/quick-quote']}>
      <Site />
      <Where />
      <Back />
    </MemoryRouter>,
  )
  await waitFor(() => expect(screen.getByTestId('where')).toHaveTextContent('/quick-start-quote'))
  await userEvent.click(screen.getByRole('button', { name: 'Back' }))
  await waitFor(() => expect(screen.getByTestId('where')).toHaveTextContent('/about'))
})

test('as to the server, case matters in an address and a slash at its end does not', async () => {
  expect(pageFor('/About')).toBe(notFoundPage)
  expect(pageFor('/about/')).toBe(pageFor('/about'))
  expect(pageFor('/about')).not.toBe(notFoundPage)
  open('/About')
  expect(await screen.findByRole('heading', { level: 1, name: '404Page Not Found' })).toBeVisible()
})

test('the navigation marks the section of the page', () => {
  open('/insights/a-b')
  const main = within(screen.getByRole('navigation', { name: 'Main' }))
  expect(main.getByRole('link', { name: 'Insights' })).toHaveAttribute('aria-current', 'page')
  expect(main.getByRole('link', { name: 'Home' })).not.toHaveAttribute('aria-current')
})

test('a page that is not found is recorded', async () => {
  open('/no/such/page')
  await waitFor(() => expect(window.dataLayer).toContainEqual(expect.objectContaining({ event: 'page_not_found', page_path: '/no/such/page' })))
})

test('each page view is recorded with the title of its page', async () => {
  open('/about')
  await waitFor(() =>
    expect(window.dataLayer).toContainEqual(expect.objectContaining({ event: 'page_view', page_path: '/about', page_title: expect.stringContaining('About Us') })),
  )
})
