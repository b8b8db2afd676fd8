import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { PGRST116 } from '@/testing/fake-gateway'
import { fakeSocket } from '@/testing/fake-socket'
import { row, published, isList, gatewayWith, renderPosts, titles, figure } from './testing/posts'

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

test('what somebody else writes is listed and told of; what is done here is not', async () => {
  const socket = fakeSocket()
  vi.spyOn(performance, 'now').mockReturnValue(1_000_000)
  const rows = [row(1)]
  gatewayWith(rows)
  renderPosts()
  await screen.findByText('Post 1')
  await waitFor(() => expect(socket.joined()).toBe(true))
  socket.tell('blog_posts', 'UPDATE')
  expect(await screen.findByText(/somebody changed a post/)).toBeVisible()
  vi.unstubAllGlobals()
})
