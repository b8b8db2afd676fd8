import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Route, Routes, useLocation } from 'react-router-dom'
import { beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '@/lib/queries'
import { type Call, PGRST116, type Reply, fakeGateway } from '@/testing/fake-gateway'
import { renderAt } from '@/testing/render-app'
import ArticlePage from './article-page'

beforeEach(() => queryClient.clear())

const article = {
  id: 'id-1',
  title: 'What goes in the red bag',
  slug: 'red-bag',
  excerpt: 'A short guide.',
  content: '<h2>Start here</h2><p onclick="alert(1)">Only <strong>regulated</strong> waste.</p><p><a href="/quote">Ask us</a></p>',
  featured_image_url: 'https://images.example/bag.jpg',
  author_name: 'United Medical Waste',
  tags: ['OSHA', 'Sharps & "more"'],
  published: true,
  published_at: '2026-03-04T12:00:00+00:00',
  reading_time_minutes: 7,
  meta_title: null,
  meta_description: null,
  created_at: '2026-03-01T12:00:00+00:00',
  updated_at: '2026-03-05T12:00:00+00:00',
}

const isArticle = ({ path, query }: Call) => path === '/rest/v1/blog_posts' && query.get('select') === '*'
const isRelated = ({ path, query }: Call) => path === '/rest/v1/blog_posts' && query.has('tags')
const isMoved = ({ path }: Call) => path === '/rest/v1/blog_post_slugs'

const gateway = (replies: { article?: Reply; related?: Reply; moved?: (slug: string | null) => Reply }) =>
  fakeGateway((call) => {
    if (isArticle(call)) return call.query.get('slug') === 'eq.red-bag' ? (replies.article ?? { body: article }) : PGRST116
    if (isRelated(call)) return replies.related ?? { body: [] }
    if (isMoved(call)) return replies.moved?.(call.query.get('slug')) ?? { body: [] }
    return undefined
  })

function Address() {
  return <output data-testid="address">{useLocation().pathname}</output>
}

const renderArticle = (slug = 'red-bag') =>
  renderAt(
    `/insights/${slug}`,
    <>
      <Routes>
        <Route path="/insights/:slug" element={<ArticlePage />} />
        <Route path="*" element={<h1>Elsewhere</h1>} />
      </Routes>
      <Address />
    </>,
  )

test('asks for exactly the published article of its slug', async () => {
  const calls = gateway({})
  renderArticle()
  await screen.findByRole('heading', { level: 1 })
  expect(calls.find(isArticle)?.url).toBe('/rest/v1/blog_posts?select=*&slug=eq.red-bag&published=eq.true')
  expect(calls.find(isArticle)?.headers.get('accept')).toContain('application/vnd.pgrst.object+json')
})

test('shows the whole article with its long date and the way to a quote', async () => {
  gateway({})
  renderArticle()
  expect(screen.getByText('Loading article...')).toBeVisible()
  expect(await screen.findByRole('heading', { level: 1, name: 'What goes in the red bag' })).toBeVisible()
  expect(screen.getByText('March 4, 2026')).toBeVisible()
  expect(screen.getByText('7 min read')).toBeVisible()
  expect(screen.getByText('A short guide.')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Get Free Quote' })).toHaveAttribute('href', '/quote')
  expect(screen.getByRole('link', { name: 'Contact Us' })).toHaveAttribute('href', '/contact')
  expect(screen.getByRole('link', { name: 'Back to Insights' })).toHaveAttribute('href', '/insights')
  expect(screen.getByRole('link', { name: 'Sharps & "more"' })).toHaveAttribute('href', '/insights?tag=Sharps+%26+%22more%22')
  expect(document.querySelector('.article-body')?.innerHTML).not.toContain('onclick')
})

test('links inside the article stay inside the page', async () => {
  gateway({})
  renderArticle()
  await userEvent.click(await screen.findByRole('link', { name: 'Ask us' }))
  expect(screen.getByTestId('address')).toHaveTextContent('/quote')
})

test('related articles share a topic and leave this one out', async () => {
  const calls = gateway({
    related: { body: [{ ...article, id: 'id-2', slug: 'sharps', title: 'Sharps at home' }] },
  })
  renderArticle()
  expect(await screen.findByRole('link', { name: 'Sharps at home' })).toHaveAttribute('href', '/insights/sharps')
  const query = calls.find(isRelated)?.query
  expect(query?.get('tags')).toBe('ov.{"OSHA","Sharps & \\"more\\""}')
  expect(query?.get('id')).toBe('neq.id-1')
  expect(query?.get('published')).toBe('eq.true')
})

test('an unknown slug is not found', async () => {
  gateway({})
  renderArticle('nowhere')
  expect(await screen.findByRole('heading', { name: 'Article Not Found' })).toBeVisible()
  expect(screen.getByText('Article not found')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Back to Insights' })).toBeVisible()
})

test('any other failure says that the article could not be loaded', async () => {
  gateway({ article: { status: 400, body: { code: '22P02', message: 'bad' } } })
  renderArticle()
  expect(await screen.findByRole('heading', { name: 'Article Not Found' })).toBeVisible()
  expect(screen.getByText('Failed to load article')).toBeVisible()
})

test('an earlier slug leads to the article’s present one', async () => {
  gateway({ moved: (slug) => ({ body: slug === 'eq.old-name' ? [{ blog_posts: { slug: 'red-bag' } }] : [] }) })
  renderArticle('old-name')
  expect(await screen.findByRole('heading', { level: 1, name: 'What goes in the red bag' })).toBeVisible()
  expect(screen.getByTestId('address')).toHaveTextContent('/insights/red-bag')
})

test('an article that came with the page is not asked for again', async () => {
  const served = document.createElement('script')
  served.id = 'post-data'
  served.type = 'application/json'
  served.textContent = JSON.stringify({ ...article, title: 'From the server' })
  document.body.append(served)
  const root = document.createElement('div')
  root.id = 'root'
  root.dataset.filled = ''
  root.innerHTML = '<div class="article-body"><h2 id="on-start">Start</h2><p>As it came.</p></div>'
  document.body.append(root)
  const calls = gateway({})
  renderArticle()
  root.remove()
  expect(screen.getByRole('heading', { level: 1, name: 'From the server' })).toBeVisible()
  expect(screen.getByText('As it came.')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Link to section "Start"' })).toHaveAttribute('href', '#on-start')
  await screen.findByRole('group', { name: 'Share this article' })
  expect(calls.filter(isArticle)).toEqual([])
  served.remove()
})

test('the link can be copied and the article printed', async () => {
  const user = userEvent.setup()
  const print = vi.spyOn(window, 'print').mockImplementation(() => undefined)
  gateway({})
  renderArticle()
  await user.click(await screen.findByRole('button', { name: 'Copy link' }))
  expect(await navigator.clipboard.readText()).toBe(`${window.location.origin}${window.location.pathname}`)
  await user.click(screen.getByRole('button', { name: 'Print' }))
  expect(print).toHaveBeenCalledOnce()
})
