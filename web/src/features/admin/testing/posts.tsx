/** The list of posts over a fake gateway, as its tests use it. */
import { screen } from '@testing-library/react'
import { beforeEach, expect } from 'vitest'
import { queryClient } from '@/lib/queries'
import { useLocation } from 'react-router-dom'
import { type Call, type Reply, fakeGateway } from '@/testing/fake-gateway'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { dismiss, toastStore } from '@/ui/toast-store'
import PostsPage from '../posts-page'

beforeEach(() => {
  queryClient.clear()
  for (const { id } of toastStore.get()) dismiss(id)
})

// One moment for all, so that posts of one day are equally old.
const now = Date.now()
export const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()
export const row = (number: number, extra: object = {}) => ({
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
export const published = (days: number) => ({ published: true, published_at: daysAgo(days) })

type Row = ReturnType<typeof row>

export const isList = ({ method, path }: Call) => method === 'GET' && path === '/rest/v1/blog_posts'
const isCount = ({ method, path }: Call) => method === 'HEAD' && path === '/rest/v1/blog_posts'

/** Those behind a place, as the condition of the call says it; without one, all. */
export function after(rows: readonly Row[], condition: string | null) {
  const [, time = '', id = ''] = condition?.match(/^\(created_at\.lt\."(.+?)",and\(created_at\.eq\."\1",id\.gt\.(.+?)\)\)$/) ?? []
  if (condition !== null) expect(time, condition).not.toBe('')
  return condition === null ? rows : rows.filter((one) => one.created_at < time || (one.created_at === time && one.id > id))
}

/** Serves rows, newest first, like a table API with a limit of a thousand. */
export function gatewayWith(rows: readonly Row[], reply: (call: Call) => Reply | Promise<Reply> | undefined = () => undefined) {
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

export const renderPosts = (query = '') =>
  renderAt(
    `/admin/blog${query}`,
    <>
      <PostsPage />
      <Address />
      <Toaster />
    </>,
  )
export const titles = () => screen.queryAllByRole('heading', { level: 3 }).map((heading) => heading.textContent)
export const figure = (label: string) => screen.getAllByText(label, { selector: 'dt' })[0]?.nextElementSibling?.textContent
