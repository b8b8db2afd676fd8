import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { queryClient } from '@/lib/queries'
import { useLocation } from 'react-router-dom'
import { type Call, PGRST116, type Reply, fakeGateway } from '@/testing/fake-gateway'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { dismiss, toastStore } from '@/ui/toast-store'
import PostsPage from './posts-page'

beforeEach(() => {
  queryClient.clear()
  for (const { id } of toastStore.get()) dismiss(id)
})

// One moment for all, so that posts of one day are equally old.
const now = Date.now()
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()
const row = (number: number, extra: object = {}) => ({
  id: `id-${number}`,
  title: `Post ${number}`,
  slug: `post-${number}`,
  excerpt: `Excerpt ${number}`,
  published: false,
  author_name: 'United Medical Waste',
  published_at: null,
  created_at: daysAgo(30),
  tags: ['OSHA', 'RCRA', 'DOT'],
  ...extra,
})
const published = (days: number) => ({ published: true, published_at: daysAgo(days) })

type Row = ReturnType<typeof row>

const isList = ({ method, path }: Call) => method === 'GET' && path === '/rest/v1/blog_posts'
const isCount = ({ method, path }: Call) => method === 'HEAD' && path === '/rest/v1/blog_posts'

/** Those behind a place, as the condition of the call says it; without one, all. */
function after(rows: readonly Row[], condition: string | null) {
  const [, time = '', id = ''] = condition?.match(/^\(created_at\.lt\."(.+?)",and\(created_at\.eq\."\1",id\.gt\.(.+?)\)\)$/) ?? []
  if (condition !== null) expect(time, condition).not.toBe('')
  return condition === null ? rows : rows.filter((one) => one.created_at < time || (one.created_at === time && one.id > id))
}

/** Serves rows, newest first, like a table API with a limit of a thousand. */
function gatewayWith(rows: readonly Row[], reply: (call: Call) => Reply | Promise<Reply> | undefined = () => undefined) {
  return fakeGateway((call) => {
    const custom = reply(call)
    if (custom) return custom
    if (isCount(call)) return { headers: { 'content-range': `*/${rows.length}` } }
    return isList(call) ? { body: after(rows, call.query.get('or')).slice(0, 1000) } : { status: 204 }
  })
}

function Address() {
  return <output data-testid="address">{useLocation().search}</output>
}

const renderPosts = (query = '') =>
  renderAt(
    `/admin/blog${query}`,
    <>
      <PostsPage />
      <Address />
      <Toaster />
    </>,
  )
const titles = () => screen.queryAllByRole('heading', { level: 3 }).map((heading) => heading.textContent)
const figure = (label: string) => screen.getAllByText(label, { selector: 'dt' })[0]?.nextElementSibling?.textContent

test('asks for exactly the list of the contract and shows its figures', async () => {
  const calls = gatewayWith([row(1, published(2)), row(2, published(20)), row(3), row(4, { created_at: daysAgo(1) })])
  renderPosts()
  expect(screen.getByRole('heading', { level: 1, name: 'Blog Administration' })).toBeVisible()
  expect(screen.getByText('Manage your blog posts and content')).toBeVisible()
  expect(screen.getByText('Loading posts...')).toBeVisible()
  await screen.findByText('Post 1')
  const lists = calls.filter(isList)
  expect(lists.map(({ query }) => Object.fromEntries(query))).toEqual([
    { select: 'id,title,slug,excerpt,published,author_name,published_at,created_at,tags', order: 'created_at.desc' },
  ])
  expect(lists[0]?.headers.get('prefer') ?? '').not.toContain('count')
  expect(['Total Posts', 'Published', 'Drafts', 'This Week'].map(figure)).toEqual(['4', '2', '2', '1'])
})

test('a row shows badge, two tags, author and dates; only a published one can be viewed', async () => {
  gatewayWith([row(1, { ...published(0), published_at: '2026-03-04T12:00:00Z', created_at: '2026-03-01T12:00:00Z', author_name: 'Dana' }), row(2, { created_at: '2026-02-01T12:00:00Z' })])
  renderPosts()
  const [first, second] = (await screen.findAllByRole('article')) as [HTMLElement, HTMLElement]
  expect(first).toHaveTextContent('By Dana')
  expect(first).toHaveTextContent('Created Mar 1, 2026')
  expect(first).toHaveTextContent('Published Mar 4, 2026')
  expect(within(first).getByText('RCRA')).toBeVisible()
  expect(within(first).queryByText('DOT')).toBeNull()
  expect(within(first).getByRole('link', { name: 'View Post 1' })).toHaveAttribute('target', '_blank')
  expect(within(first).getByRole('link', { name: 'View Post 1' })).toHaveAttribute('href', '/insights/post-1')
  expect(within(first).getByRole('link', { name: 'Edit Post 1' })).toHaveAttribute('href', '/admin/blog/id-1')
  expect(within(second).getByText('Draft')).toBeVisible()
  expect(within(second).queryByRole('link', { name: 'View Post 2' })).toBeNull()
})

test.each([
  ['all', 'All Posts', ['Post 3', 'Post 1', 'Post 2']],
  ['published', 'Published', ['Post 1']],
  ['drafts', 'Drafts', ['Post 3', 'Post 2']],
  ['recent', 'Recent (7 days)', ['Post 3']],
])('the status filter "%s" shows %s', async (value, label, expected) => {
  gatewayWith([row(1, published(30)), row(2), row(3, { created_at: daysAgo(6) })])
  renderPosts()
  await screen.findByText('Post 1')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), label)
  await waitFor(() => expect(titles()).toEqual(expected))
  expect(screen.getByTestId('address')).toHaveTextContent(value === 'all' ? '' : `?status=${value}`)
})

test('search looks into title and author, whatever the case', async () => {
  gatewayWith([row(1, { title: 'Sharps at home' }), row(2, { author_name: 'Mary Sharpless' }), row(3, { excerpt: 'sharps' })])
  renderPosts()
  await screen.findByText('Post 3')
  await userEvent.type(screen.getByPlaceholderText('Search posts...'), 'SHARP')
  await waitFor(() => expect(titles()).toEqual(['Sharps at home', 'Post 2']))
  await userEvent.type(screen.getByPlaceholderText('Search posts...'), 'zebra')
  expect(await screen.findByText('No posts found matching your search.')).toBeVisible()
})

test('without posts it invites to write the first', async () => {
  gatewayWith([])
  renderPosts()
  expect(await screen.findByText('No blog posts yet. Create your first post!')).toBeVisible()
  expect(screen.getByRole('link', { name: 'New Post' })).toHaveAttribute('href', '/admin/blog/new')
})

test('a list that cannot be fetched says so', async () => {
  gatewayWith([], (call) => (isList(call) ? { status: 403, body: { code: '42501', message: 'permission denied' } } : undefined))
  renderPosts()
  expect(await screen.findByText('Failed to fetch blog posts')).toBeVisible()
})

test('publishing sets flag and time, and the row follows', async () => {
  const calls = gatewayWith([row(1)])
  renderPosts()
  await userEvent.click(await screen.findByRole('button', { name: 'Publish Post 1' }))
  expect(await screen.findByText('Post published successfully')).toBeVisible()
  const update = calls.find(({ method }) => method === 'PATCH')
  expect(update?.url).toBe('/rest/v1/blog_posts?id=eq.id-1')
  expect(update?.body).toEqual({ published: true, published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) })
  expect(screen.getByRole('button', { name: 'Unpublish Post 1' })).toBeVisible()
  expect(figure('Drafts')).toBe('0')
})

test('unpublishing clears the time', async () => {
  const calls = gatewayWith([row(1, published(1))])
  renderPosts()
  await userEvent.click(await screen.findByRole('button', { name: 'Unpublish Post 1' }))
  expect(await screen.findByText('Post unpublished successfully')).toBeVisible()
  expect(calls.find(({ method }) => method === 'PATCH')?.body).toEqual({ published: false, published_at: null })
})

test('a refused status change leaves the row as it was', async () => {
  gatewayWith([row(1)], ({ method }) => (method === 'PATCH' ? { status: 403, body: { code: '42501', message: 'no' } } : undefined))
  renderPosts()
  await userEvent.click(await screen.findByRole('button', { name: 'Publish Post 1' }))
  expect(await screen.findByText('Failed to update post status')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Publish Post 1' })).toBeEnabled()
})

test('deleting asks first', async () => {
  const calls = gatewayWith([row(1), row(2)])
  renderPosts()
  await userEvent.click(await screen.findByRole('button', { name: 'Delete Post 1' }))
  const dialog = screen.getByRole('dialog', { name: 'Delete post' })
  expect(dialog).toHaveTextContent('Are you sure you want to delete "Post 1"?')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  expect(calls.filter(({ method }) => method === 'DELETE')).toEqual([])

  await userEvent.click(screen.getByRole('button', { name: 'Delete Post 1' }))
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Blog post deleted successfully')).toBeVisible()
  expect(calls.find(({ method }) => method === 'DELETE')?.url).toBe('/rest/v1/blog_posts?id=eq.id-1')
  expect(titles()).toEqual(['Post 2'])
})

test('a refused deletion keeps the post', async () => {
  gatewayWith([row(1)], ({ method }) => (method === 'DELETE' ? { status: 403, body: { code: '42501', message: 'no' } } : undefined))
  renderPosts()
  await userEvent.click(await screen.findByRole('button', { name: 'Delete Post 1' }))
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Failed to delete blog post')).toBeVisible()
  expect(titles()).toEqual(['Post 1'])
})

test('five thousand posts are fetched whole and shown in pages', async () => {
  // More of them equally old than an answer holds.
  const rows = Array.from({ length: 5000 }, (_, index) => row(index + 1, { id: String(index).padStart(4, '0'), created_at: daysAgo(Math.ceil((index + 1) / 1500)) }))
  const calls = gatewayWith(rows)
  renderPosts('?page=200')
  await screen.findByText('Post 5000')
  expect(titles()).toHaveLength(25)
  expect(figure('Total Posts')).toBe('5000')
  expect(screen.getByText('4976–5000 of 5000')).toBeVisible()
  expect(calls.filter(isList).map(({ query }) => query.get('order'))).toEqual(['created_at.desc', ...Array.from({ length: 5 }, () => 'created_at.desc,id.asc')])
})

test('posts of one upload stand in one order, whatever the order of the answer', async () => {
  const time = daysAgo(3)
  gatewayWith([row(9, { created_at: daysAgo(1) }), ...[4, 2, 3].map((number) => row(number, { created_at: time })), row(1, { created_at: daysAgo(5) })])
  renderPosts()
  await screen.findByText('Post 1')
  expect(titles()).toEqual(['Post 9', 'Post 2', 'Post 3', 'Post 4', 'Post 1'])
})

test('the newest posts are shown before the rest has arrived', async () => {
  let release: () => void = () => undefined
  const rest = new Promise<void>((resolve) => (release = resolve))
  const rows = Array.from({ length: 1020 }, (_, index) => row(index + 1, { created_at: daysAgo(index / 100) }))
  gatewayWith(rows, (call) => (call.query.has('or') ? rest.then(() => ({ body: after(rows, call.query.get('or')) })) : undefined))
  renderPosts()
  await screen.findByText('Post 1')
  expect(screen.getByText('1–25 of 1020')).toBeVisible()
  expect(figure('Total Posts')).toBe('1020')
  expect(figure('Drafts')).toBe('–')
  release()
  await waitFor(() => expect(figure('Drafts')).toBe('1020'))
})

test('an upload shows its results, reloads the list and resets when closed', async () => {
  let inserted = 0
  const calls = gatewayWith([row(1)], ({ method, query, body }) => {
    if (query.get('select') === 'slug') return { body: [] }
    if (query.get('select') === 'id') return PGRST116
    if (method !== 'POST') return undefined
    const rows = body as { title: string }[]
    if (rows.some(({ title }) => title === 'Bad')) return { status: 400, body: { code: '23514', message: 'value is not allowed' } }
    inserted += rows.length
    return { status: 201 }
  })
  renderPosts()
  await userEvent.click(await screen.findByRole('button', { name: 'Bulk Upload' }))
  const dialog = screen.getByRole('dialog', { name: 'Bulk Upload Blog Posts' })
  const upload = within(dialog).getByRole('button', { name: 'Upload Posts' })
  const text = within(dialog).getByRole('textbox', { name: 'JSON Data' })
  expect(upload).toBeDisabled()
  expect(text).toHaveAttribute('rows', '15')

  await userEvent.click(text)
  await userEvent.paste('{"title": "x"}')
  await userEvent.click(upload)
  expect(await screen.findByText('JSON data must be an array of blog post objects.')).toBeVisible()

  const bad = Array.from({ length: 12 }, () => ({ title: 'Bad', content: 'x' }))
  await userEvent.clear(text)
  await userEvent.paste(JSON.stringify([{ title: 'Good', content: 'x' }, ...bad]))
  await userEvent.click(upload)
  expect(await screen.findByText('Successfully uploaded 1 posts (12 failed)')).toBeVisible()
  expect(within(dialog).getByText('1 successful')).toBeVisible()
  expect(within(dialog).getByText('12 failed')).toBeVisible()
  expect(within(dialog).getAllByRole('listitem')).toHaveLength(10)
  expect(within(dialog).getByText('Post 2 (Bad): value is not allowed')).toBeVisible()
  expect(within(dialog).getByText('... and 2 more errors')).toBeVisible()
  expect(within(dialog).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '100')
  expect(inserted).toBe(1)
  expect(calls.filter((call) => isList(call) && call.query.get('select')?.startsWith('id,title'))).toHaveLength(2)

  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
  await userEvent.click(screen.getByRole('button', { name: 'Bulk Upload' }))
  expect(screen.getByRole('textbox', { name: 'JSON Data' })).toHaveValue('')
  expect(screen.queryByText('12 failed')).toBeNull()
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeVisible()
})
