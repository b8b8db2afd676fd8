/** The editor over a fake gateway, as its tests use it. */
import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Quill } from 'react-quill'
import { afterEach, beforeEach, vi } from 'vitest'
import { queryClient } from '@/lib/queries'
import { Route, Routes, useLocation } from 'react-router-dom'
import { type Call, PGRST116, type Reply, fakeGateway } from '@/testing/fake-gateway'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { dismiss, toastStore } from '@/ui/toast-store'
import EditorPage from '../editor-page'
import { type Post } from '../editor/post-form'

beforeEach(() => {
  queryClient.clear()
  for (const { id } of toastStore.get()) dismiss(id)
})
afterEach(() => vi.useRealTimers())

export const post: Post = {
  id: 'id-1',
  title: 'Red bags',
  slug: 'red-bags',
  excerpt: 'Short.',
  content: '<p>What goes <b>in</b>.</p><table><tbody><tr><td>1</td></tr></tbody></table>',
  featured_image_url: null,
  author_name: 'Dana',
  tags: ['OSHA'],
  published: false,
  published_at: null,
  publish_at: null,
  reading_time_minutes: 4,
  meta_title: null,
  meta_description: null,
  created_at: '2026-03-01T12:00:00+00:00',
  updated_at: '2026-03-02T12:00:00.123456+00:00',
}

export const isRead = ({ method, path }: Call) => method === 'GET' && path === '/rest/v1/blog_posts'
export const written = (calls: Call[]) => calls.find(({ method }) => method === 'PATCH' || method === 'POST')

/** Stores writes unless `reply` answers first. */
export const gateway = (stored: Post | null = post, reply: (call: Call) => Reply | undefined = () => undefined) =>
  fakeGateway((call) => {
    const custom = reply(call)
    if (custom) return custom
    if (isRead(call)) return stored ? { body: call.headers.get('accept')?.includes('object') ? stored : [stored] } : PGRST116
    if (call.method === 'PATCH') return { body: [{ id: 'id-1' }] }
    if (call.method === 'POST') return { status: 201 }
    return undefined
  })

function Address() {
  return <output data-testid="address">{useLocation().pathname}</output>
}

export const renderEditor = (path: string) =>
  renderAt(
    path,
    <>
      <Routes>
        <Route path="/admin/blog/new" element={<EditorPage />} />
        <Route path="/admin/blog/:id" element={<EditorPage />} />
        <Route path="*" element={<h1>List</h1>} />
      </Routes>
      <Address />
      <Toaster />
    </>,
  )
export const address = () => screen.getByTestId('address').textContent
export const field = (name: string | RegExp) => screen.getByLabelText(name)
export const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

/** Types at the end of the article, as a writer would. */
export function write(text: string) {
  const quill = Quill.find(screen.getByRole('textbox', { name: 'Content' }).parentElement as HTMLElement) as Quill
  act(() => void quill.insertText(0, text, 'user'))
}
