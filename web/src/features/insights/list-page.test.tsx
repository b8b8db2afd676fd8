import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Route, Routes, useLocation, useNavigate } from 'react-router-dom'
import { beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '@/lib/queries'
import { type Call, type Reply, fakeGateway } from '@/testing/fake-gateway'
import { renderAt } from '@/testing/render-app'
import InsightsPage from './list-page'

beforeEach(() => queryClient.clear())

const post = (number: number, extra: object = {}) => ({
  id: `id-${number}`,
  title: `Article ${number}`,
  slug: `article-${number}`,
  excerpt: `Excerpt ${number}`,
  featured_image_url: null,
  author_name: 'United Medical Waste',
  published_at: '2026-03-04T12:00:00+00:00',
  tags: ['OSHA', 'Sharps', 'RCRA'],
  reading_time_minutes: 5,
  ...extra,
})

const isTagList = ({ path }: Call) => path === '/rest/v1/rpc/list_topics'
const isPostList = ({ path }: Call) => path === '/rest/v1/blog_posts'

/** `total` articles, ten a page, and three topics. */
const gatewayWith = (total: number, reply?: (call: Call) => Reply | undefined) =>
  fakeGateway((call) => {
    if (isTagList(call)) return { body: ['OSHA', 'a, "b"', 'Sharps'] }
    const custom = reply?.(call)
    if (custom) return custom
    const offset = Number(call.query.get('offset') ?? 0)
    if (offset > 0 && offset >= total) return { status: 416, body: { code: 'PGRST103', message: 'Requested range not satisfiable' } }
    const shown = Math.min(10, total - offset)
    return {
      status: shown < total ? 206 : 200,
      body: Array.from({ length: shown }, (_, index) => post(offset + index + 1)),
      headers: { 'content-range': total === 0 ? '*/0' : `${offset}-${offset + shown - 1}/${total}` },
    }
  })

function Address() {
  const { search } = useLocation()
  const navigate = useNavigate()
  return (
    <>
      <output data-testid="address">{search}</output>
      <button type="button" onClick={() => void navigate(-1)}>
        Back
      </button>
    </>
  )
}

const renderList = (path = '/insights') =>
  renderAt(
    path,
    <>
      <Routes>
        <Route path="/insights" element={<InsightsPage />} />
      </Routes>
      <Address />
    </>,
  )
const address = () => screen.getByTestId('address').textContent
const lastList = (calls: Call[]) => calls.filter(isPostList).at(-1)

test('asks for exactly the first page of published articles, newest first, and counts', async () => {
  const calls = gatewayWith(42)
  renderList()
  expect(screen.getByText('Loading articles...')).toBeVisible()
  expect(await screen.findByText('Showing 10 of 42 articles (page 1 of 5)')).toBeVisible()
  expect(Object.fromEntries(lastList(calls)?.query ?? [])).toEqual({
    select: 'id,title,slug,excerpt,featured_image_url,author_name,published_at,tags,reading_time_minutes',
    published: 'eq.true',
    order: 'published_at.desc',
    offset: '0',
    limit: '10',
  })
  expect(lastList(calls)?.headers.get('prefer')).toContain('count=exact')
})

test('a card links to its article and shows date, author, reading time and at most two tags', async () => {
  gatewayWith(1)
  renderList()
  const card = await screen.findByRole('article')
  expect(within(card).getByRole('link', { name: 'Article 1' })).toHaveAttribute('href', '/insights/article-1')
  expect(card).toHaveTextContent('Mar 4, 2026')
  expect(card).toHaveTextContent('United Medical Waste')
  expect(card).toHaveTextContent('5 min read')
  expect(card).toHaveTextContent('Sharps')
  expect(card).not.toHaveTextContent('RCRA')
  expect(screen.queryByRole('navigation', { name: 'Pagination' })).toBeNull()
})

test('searching waits for the words, starts at page one, and keeps the address', async () => {
  const calls = gatewayWith(42)
  renderList('/insights?page=3')
  await screen.findByText('Showing 10 of 42 articles (page 3 of 5)')
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search articles' }), 'red "bag", 100%')
  await waitFor(() => expect(lastList(calls)?.query.get('or')).toBe('(title.ilike."%red \\"bag\\", 100\\\\%%",excerpt.ilike."%red \\"bag\\", 100\\\\%%")'))
  expect(lastList(calls)?.query.get('offset')).toBe('0')
  expect(new URLSearchParams(address() ?? '').get('search')).toBe('red "bag", 100%')
  expect(new URLSearchParams(address() ?? '').get('page')).toBeNull()
  expect(await screen.findByText('Showing 10 of 42 articles for "red "bag", 100%" (page 1 of 5)')).toBeVisible()
})

test('a topic filters, says so, and clears when chosen again', async () => {
  const calls = gatewayWith(3)
  renderList()
  const topic = await screen.findByRole('button', { name: 'a, "b"' })
  await userEvent.click(topic)
  await waitFor(() => expect(lastList(calls)?.query.get('tags')).toBe('cs.{"a, \\"b\\""}'))
  expect(topic).toHaveAttribute('aria-pressed', 'true')
  expect(await screen.findByText('Showing 3 of 3 articles in "a, "b""')).toBeVisible()
  await userEvent.click(topic)
  await waitFor(() => expect(address()).toBe(''))
  expect(topic).toHaveAttribute('aria-pressed', 'false')
})

test('the topics stand in the order they come in, asked for once', async () => {
  const calls = gatewayWith(3)
  renderList()
  await screen.findByRole('button', { name: 'OSHA' })
  const topics = within(screen.getByRole('group', { name: 'Filter by topic' })).getAllByRole('button')
  expect(topics.map((topic) => topic.textContent)).toEqual(['OSHA', 'a, "b"', 'Sharps'])
  await userEvent.click(screen.getByRole('button', { name: 'OSHA' }))
  await waitFor(() => expect(address()).toBe('?tag=OSHA'))
  expect(calls.filter(isTagList).map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /rest/v1/rpc/list_topics'])
})

test.each([
  ['smoothly', false, 'smooth'],
  ['at once, where less motion is wanted,', true, 'instant'],
])('changing the page asks for it and scrolls %s to the top', async (_title, calm, behavior) => {
  const media = window.matchMedia('')
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({ ...media, matches: calm && query === '(prefers-reduced-motion: reduce)' }))
  const scroll = vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined)
  const calls = gatewayWith(42)
  renderList('/insights?tag=OSHA')
  await userEvent.click(await screen.findByRole('link', { name: 'Page 2' }))
  expect(await screen.findByText('Showing 10 of 42 articles in "OSHA" (page 2 of 5)')).toBeVisible()
  expect(lastList(calls)?.query.get('offset')).toBe('10')
  expect(address()).toBe('?tag=OSHA&page=2')
  expect(scroll).toHaveBeenCalledWith({ top: 0, behavior })
})

test('Back brings the words before into field and list', async () => {
  gatewayWith(42)
  renderList('/insights?search=sharps')
  const field = await screen.findByRole('searchbox')
  expect(field).toHaveValue('sharps')
  await userEvent.click(await screen.findByRole('link', { name: 'Page 2' }))
  await userEvent.click(screen.getByRole('button', { name: 'OSHA' }))
  await waitFor(() => expect(address()).toBe('?search=sharps&tag=OSHA'))
  await userEvent.click(screen.getByRole('button', { name: 'Back' }))
  await waitFor(() => expect(address()).toBe('?search=sharps&page=2'))
  expect(field).toHaveValue('sharps')
})

test('nothing found offers to clear the filters', async () => {
  gatewayWith(5, (call) => (call.query.has('or') ? { body: [], headers: { 'content-range': '*/0' } } : undefined))
  renderList('/insights?search=zebra')
  expect(await screen.findByText('No articles found')).toBeVisible()
  expect(screen.getByText('Try adjusting your search criteria or browse all topics.')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Clear Filters' }))
  expect(await screen.findByText('Showing 5 of 5 articles')).toBeVisible()
  expect(screen.getByRole('searchbox')).toHaveValue('')
  expect(address()).toBe('')
})

test('an empty blog says that articles will come', async () => {
  gatewayWith(0)
  renderList()
  expect(await screen.findByText('No articles yet')).toBeVisible()
  expect(screen.getByText("We're working on bringing you valuable insights. Check back soon!")).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Clear Filters' })).toBeNull()
})

test('a refused list is logged only and ends in the empty state', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  gatewayWith(5, () => ({ status: 400, body: { code: '42703', message: 'no such column' } }))
  renderList()
  expect(await screen.findByText('No articles yet')).toBeVisible()
  expect(screen.queryByText('Loading articles...')).toBeNull()
  expect(logged).toHaveBeenCalledWith('Articles could not be loaded:', expect.objectContaining({ code: '42703' }))
})

test.each([
  ['a page behind the last one', '?page=99', ''],
  ['a page that is no number', '?page=x', '?page=x'],
  ['a negative page', '?page=-2', '?page=-2'],
])('%s shows the first page', async (_title, query, corrected) => {
  gatewayWith(12)
  renderList(`/insights${query}`)
  expect(await screen.findByText('Showing 10 of 12 articles (page 1 of 2)')).toBeVisible()
  expect(address()).toBe(corrected)
})
