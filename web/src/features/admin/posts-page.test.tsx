import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { daysAgo, row, published, isList, after, gatewayWith, renderPosts, titles, figure } from './testing/posts'

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

test('a post that is to appear later was not published this week', async () => {
  gatewayWith([row(1, published(-3)), row(2, published(3))])
  renderPosts()
  await screen.findByText('Scheduled')
  expect(['Published', 'This Week'].map(figure)).toEqual(['2', '1'])
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
