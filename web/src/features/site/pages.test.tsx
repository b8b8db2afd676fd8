import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { locations } from '@/content/locations'
import { renderAt } from '@/testing/render-app'
import BostonPage from './boston-page'
import CapeCodPage from './cape-cod-page'
import HartfordPage from './hartford-page'
import HomePage from './home-page'
import IndustriesPage from './industries-page'
import MedicalWastePage from './medical-waste-page'
import NotFoundPage from './not-found-page'
import PortalPage from './portal-page'
import ProvidencePage from './providence-page'
import WorcesterPage from './worcester-page'

const links = (name: string | RegExp) => screen.getAllByRole('link', { name }).map((link) => link.getAttribute('href'))
const structured = () =>
  [...document.head.querySelectorAll('script[type="application/ld+json"]')].map((script) => JSON.parse(script.textContent) as Record<string, unknown>)

describe('home', () => {
  test('shows the four figures, thirteen clients, three services and six states', () => {
    renderAt('/', <HomePage />)
    for (const figure of ['29+', '5000+', '24/7', '100%']) expect(screen.getByText(figure)).toBeVisible()
    expect(screen.getAllByText('Mystic Harbor Fertility').length).toBeGreaterThan(0)
    expect(links(/^(Medical Waste Collection|Pharmaceutical Disposal|Compliance Training)$/)).toEqual(['/services/medical-waste', '/services/pharmaceutical', '/services/compliance-training'])
    for (const state of ['Maine', 'New Hampshire', 'Vermont', 'Massachusetts', 'Rhode Island', 'Connecticut']) expect(screen.getAllByRole('heading', { name: state, hidden: true }).length).toBeGreaterThan(0)
  })

  test('ends with the free waste audit and two ways to the quote', () => {
    renderAt('/', <HomePage />)
    expect(screen.getByRole('heading', { name: 'Get a FREE Waste Audit' })).toBeVisible()
    expect(links('Request a Quote')).toEqual(['/quote'])
    expect(links('Get a FREE Waste Audit')).toEqual(['/quote', '/quote'])
  })

  test('tells search engines rating and office hours', () => {
    renderAt('/', <HomePage />)
    expect(structured()[0]).toMatchObject({
      '@type': 'LocalBusiness',
      aggregateRating: { ratingValue: 4.8 },
      openingHoursSpecification: { opens: '08:00', closes: '17:00' },
    })
  })
})

describe.each([
  ['worcester', WorcesterPage],
  ['boston', BostonPage],
  ['providence', ProvidencePage],
  ['capecod', CapeCodPage],
  ['hartford', HartfordPage],
])('%s', (key, Page) => {
  test('leads to quote, contact and its own Quick Start', () => {
    renderAt('/', <Page />)
    expect(links('QUICK START SERVICE STARTING AT $75')).toEqual([`/quick-start-quote?location=${key}`])
    expect(screen.getByText('*for monthly pickups only')).toBeVisible()
    expect(links('Get a Quote')).toEqual(['/quote', '/quote'])
    expect(links('Contact Us')).toEqual(['/contact'])
  })

  test('has three services, four reasons and five answers, the latter for search engines too', () => {
    const { container } = renderAt('/', <Page />)
    expect(container.querySelectorAll('article')).toHaveLength(3)
    expect(screen.getByRole('heading', { level: 2, name: key === 'capecod' ? 'Services on Cape Cod' : /^Services in / })).toBeVisible()
    expect(container.querySelectorAll('details')).toHaveLength(5)
    const faq = structured().find((data) => data['@type'] === 'FAQPage')
    expect(faq?.mainEntity).toHaveLength(5)
    for (const area of locations.find((location) => location.key === key)?.serviceAreas ?? []) expect(screen.getAllByText(area).length).toBeGreaterThan(0)
  })
})

test('a service page offers quote and payment, and records that it was seen', () => {
  renderAt('/', <MedicalWastePage />)
  expect(links('Get a Quote')).toEqual(['/quote', '/quote'])
  expect(links('Make a Payment')).toEqual(['/customer-portal', '/customer-portal'])
  expect(window.dataLayer).toContainEqual({ event: 'view_item', item_id: '/services/medical-waste', item_name: 'Medical Waste', item_category: 'service' })
})

test('six sectors, each with its own way to the quote', () => {
  renderAt('/', <IndustriesPage />)
  expect(new Set(screen.getAllByRole('link', { name: /^Get a Quote for / }).map((link) => link.getAttribute('aria-label'))).size).toBe(6)
})

describe('customer portal', () => {
  test('posts user name and password to the provider in a new tab', () => {
    renderAt('/', <PortalPage />)
    const form = screen.getByRole('form', { name: 'Customer portal' })
    expect(form).toHaveAttribute('method', 'post')
    expect(form).toHaveAttribute('target', '_blank')
    expect(form.getAttribute('action')).toMatch(/^https:.*united_medical_waste$/)
    expect(screen.getByLabelText(/Username/)).toHaveAttribute('name', 'username')
    expect(screen.getByLabelText(/Password/)).toHaveAttribute('name', 'password')
  })

  test('both are required', async () => {
    renderAt('/', <PortalPage />)
    await userEvent.type(screen.getByLabelText(/Username/), 'clinic')
    await userEvent.click(screen.getByRole('button', { name: 'Log In to Portal' }))
    expect(screen.getByLabelText(/Password/)).toHaveAccessibleDescription('Enter your password.')
    expect(screen.getByLabelText(/Password/)).toHaveFocus()
  })
})

test('the page that is not found offers ways back and records which was taken', async () => {
  renderAt('/nowhere', <NotFoundPage />)
  expect(links(/^(Return Home|View Services|Contact Us)$/)).toEqual(['/', '/services', '/contact'])
  expect(links('Get a Quote')).toEqual(['/quote'])
  await userEvent.click(screen.getByRole('link', { name: 'View Services' }))
  expect(window.dataLayer).toContainEqual({ event: 'umw_navigation_click', link_text: 'View Services', link_url: '/services', link_location: '404' })
})
