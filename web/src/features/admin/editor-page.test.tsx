import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Quill } from 'react-quill'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { queryClient } from '@/lib/queries'
import { Route, Routes, useLocation } from 'react-router-dom'
import { type Call, PGRST116, type Reply, fakeGateway } from '@/testing/fake-gateway'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { dismiss, toastStore } from '@/ui/toast-store'
import EditorPage from './editor-page'
import { draftKey, readDraft, writeDraft } from './editor/local-draft'
import { type Post, emptyForm, formOf } from './editor/post-form'

beforeEach(() => {
  queryClient.clear()
  for (const { id } of toastStore.get()) dismiss(id)
})
afterEach(() => vi.useRealTimers())

const post: Post = {
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
  reading_time_minutes: 4,
  meta_title: null,
  meta_description: null,
  created_at: '2026-03-01T12:00:00+00:00',
  updated_at: '2026-03-02T12:00:00.123456+00:00',
}

const isRead = ({ method, path }: Call) => method === 'GET' && path === '/rest/v1/blog_posts'
const written = (calls: Call[]) => calls.find(({ method }) => method === 'PATCH' || method === 'POST')

/** Stores writes unless `reply` answers first. */
const gateway = (stored: Post | null = post, reply: (call: Call) => Reply | undefined = () => undefined) =>
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

const renderEditor = (path: string) =>
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
const address = () => screen.getByTestId('address').textContent
const field = (name: string | RegExp) => screen.getByLabelText(name)
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

/** Types at the end of the article, as a writer would. */
function write(text: string) {
  const quill = Quill.find(screen.getByRole('textbox', { name: 'Content' }).parentElement as HTMLElement) as Quill
  act(() => void quill.insertText(0, text, 'user'))
}

describe('a new post', () => {
  test('begins with the defaults', () => {
    gateway()
    renderEditor('/admin/blog/new')
    expect(document.title).toBe('New Blog Post - Admin')
    expect(field('Author')).toHaveValue('United Medical Waste')
    expect(field('Reading Time (minutes)')).toHaveValue(5)
    expect(screen.getByRole('switch', { name: 'Published' })).not.toBeChecked()
    expect(screen.queryByRole('link', { name: 'Preview' })).toBeNull()
  })

  test('needs a title, and nothing is sent without one', async () => {
    const calls = gateway()
    renderEditor('/admin/blog/new')
    await userEvent.type(field(/^Title/), '   ')
    await press('Save Draft')
    expect(await screen.findAllByText('Title is required')).toHaveLength(2)
    expect(written(calls)).toBeUndefined()
    expect(address()).toBe('/admin/blog/new')
  })

  test('is stored whole as a draft and leads back to the list', async () => {
    const calls = gateway()
    renderEditor('/admin/blog/new')
    await userEvent.type(field(/^Title/), 'OSHA & You')
    expect(field('URL Slug')).toHaveValue('osha-you')
    await userEvent.type(field('Excerpt'), 'Short.')
    write('Hello')
    await userEvent.type(field('Meta Title'), 'M')
    expect(screen.getByText('1/60 characters')).toBeVisible()
    expect(screen.getByText('0/160 characters')).toBeVisible()
    await userEvent.type(field('Add a tag'), ' OSHA {Enter}OSHA{Enter}')
    await userEvent.type(field('Add a tag'), 'RCRA')
    await press('Add')
    await press('Remove OSHA')
    await userEvent.clear(field('Reading Time (minutes)'))
    await press('Save Draft')
    expect(await screen.findByText('Post created successfully')).toBeVisible()
    expect(address()).toBe('/admin/blog')
    expect(written(calls)?.url).toMatch(/^\/rest\/v1\/blog_posts(\?columns=.*)?$/)
    expect(written(calls)?.body).toEqual({
      title: 'OSHA & You',
      slug: 'osha-you',
      excerpt: 'Short.',
      content: '<p>Hello</p>',
      meta_title: 'M',
      meta_description: null,
      featured_image_url: null,
      author_name: 'United Medical Waste',
      tags: ['RCRA'],
      published: false,
      reading_time_minutes: 5,
      published_at: null,
    })
    expect(Object.keys(localStorage)).toEqual([])
  })

  test('can be published at once', async () => {
    const calls = gateway()
    renderEditor('/admin/blog/new')
    await userEvent.type(field(/^Title/), 'T')
    await press('Publish')
    expect(await screen.findByText('Post created and published')).toBeVisible()
    expect(written(calls)?.body).toMatchObject({ published: true, published_at: expect.stringMatching(/^\d{4}-/) })
  })
})

describe('a stored post', () => {
  test('is read by its id and shown in every field', async () => {
    const calls = gateway({ ...post, published: true, published_at: '2026-03-02T12:00:00Z', meta_title: 'M' })
    renderEditor('/admin/blog/id-1')
    expect(screen.getByText('Loading post...')).toBeVisible()
    expect(await screen.findByLabelText(/^Title/)).toHaveValue('Red bags')
    expect(calls.find(isRead)?.url).toBe('/rest/v1/blog_posts?select=*&id=eq.id-1')
    expect(document.title).toBe('Edit: Red bags - Admin')
    expect(field('URL Slug')).toHaveValue('red-bags')
    expect(field('Meta Title')).toHaveValue('M')
    expect(field('Reading Time (minutes)')).toHaveValue(4)
    expect(screen.getByRole('switch', { name: 'Published' })).toBeChecked()
    expect(screen.getByRole('link', { name: 'Preview' })).toHaveAttribute('href', '/insights/red-bags')
    expect(screen.getByRole('textbox', { name: 'Content' })).toHaveTextContent('What goes in.')
  })

  test('keeps its stored HTML when only other fields change, and its slug when the title does', async () => {
    const calls = gateway()
    renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), ' and boxes')
    await press('Save Draft')
    expect(await screen.findByText('Post updated successfully')).toBeVisible()
    expect(written(calls)?.body).toMatchObject({ title: 'Red bags and boxes', slug: 'red-bags', content: post.content, published: false, published_at: null })
    expect(written(calls)?.query.get('id')).toBe('eq.id-1')
    expect(written(calls)?.query.get('updated_at')).toBe('eq.2026-03-02T12:00:00.123456+00:00')
  })

  test('keeps its table when the text around it changes', async () => {
    const calls = gateway()
    renderEditor('/admin/blog/id-1')
    await screen.findByLabelText(/^Title/)
    write('Now: ')
    await press('Save Draft')
    await screen.findByText('Post updated successfully')
    expect(written(calls)?.body).toMatchObject({
      content: '<p>Now: What goes <strong>in</strong>.</p><table><tbody><tr><td>1</td></tr></tbody></table>',
    })
  })

  test('that is published stays so by Save Draft, with a new time', async () => {
    const calls = gateway({ ...post, published: true, published_at: '2026-03-02T12:00:00Z' })
    renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), '!')
    await press('Save Draft')
    await screen.findByText('Post updated successfully')
    const body = written(calls)?.body as Post | undefined
    expect(body?.published).toBe(true)
    expect(Date.parse(body?.published_at ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })

  test('says that it was published when Publish stores it', async () => {
    gateway()
    renderEditor('/admin/blog/id-1')
    await screen.findByLabelText(/^Title/)
    await press('Publish')
    expect(await screen.findByText('Post published successfully')).toBeVisible()
    expect(address()).toBe('/admin/blog')
  })

  test('that cannot be fetched is reported and never shown as empty', async () => {
    gateway(null)
    renderEditor('/admin/blog/id-1')
    expect(await screen.findByText('Failed to fetch blog post')).toBeVisible()
    expect(screen.queryByText('Loading post...')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Publish' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Back to Admin' })).toHaveAttribute('href', '/admin/blog')
  })

  test('that is refused keeps the writer and names the field', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    gateway(post, ({ method }) =>
      method === 'PATCH' ? { status: 409, body: { code: '23505', message: 'duplicate key value violates unique constraint "blog_posts_slug_key"' } } : undefined,
    )
    renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText('URL Slug'), '-2')
    await press('Save Draft')
    expect(await screen.findByText('Failed to save post')).toBeVisible()
    expect(screen.getByText('Another post has this slug already.')).toBeVisible()
    expect(address()).toBe('/admin/blog/id-1')
    expect(field('URL Slug')).toHaveValue('red-bags-2')
  })
})

describe('two administrators', () => {
  const theirs = { ...post, title: 'Their title', updated_at: '2026-03-03T08:00:00+00:00' }
  /** Only the newest version can be replaced. */
  const contested = () => {
    let reads = 0
    return gateway(post, (call) => {
      if (call.method === 'PATCH') return { body: call.query.get('updated_at') === `eq.${theirs.updated_at}` ? [{ id: 'id-1' }] : [] }
      if (!isRead(call)) return undefined
      reads += 1
      const row = reads === 1 ? post : theirs
      return { body: call.headers.get('accept')?.includes('object') ? row : [row] }
    })
  }
  const collide = async () => {
    const calls = contested()
    renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), ' mine')
    await press('Publish')
    return { calls, dialog: await screen.findByRole('dialog', { name: 'Someone else changed this post' }) }
  }

  test('the second sees both versions and nothing is overwritten', async () => {
    const { calls, dialog } = await collide()
    expect(within(dialog).getByText('Their title')).toBeVisible()
    expect(within(dialog).getByText('Red bags mine')).toBeVisible()
    expect(calls.filter(({ method }) => method === 'PATCH')).toHaveLength(1)
    await userEvent.click(within(dialog).getByRole('button', { name: 'Keep editing' }))
    expect(field(/^Title/)).toHaveValue('Red bags mine')
    expect(address()).toBe('/admin/blog/id-1')
  })

  test('the second may overwrite knowingly, still publishing', async () => {
    const { calls, dialog } = await collide()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Overwrite with mine' }))
    expect(await screen.findByText('Post published successfully')).toBeVisible()
    expect(calls.filter(({ method }) => method === 'PATCH').at(-1)?.body).toMatchObject({ title: 'Red bags mine', published: true })
  })

  test('the second may take the other version', async () => {
    const { dialog } = await collide()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Use their version' }))
    expect(field(/^Title/)).toHaveValue('Their title')
    await press('Save Draft')
    expect(await screen.findByText('Post updated successfully')).toBeVisible()
  })

  test('a post deleted meanwhile can be stored as a new one', async () => {
    const calls = gateway(post, (call) => {
      if (call.method === 'PATCH') return { body: [] }
      return isRead(call) && !call.headers.get('accept')?.includes('object') ? { body: [] } : undefined
    })
    renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), '!')
    await press('Save Draft')
    await userEvent.click(await screen.findByRole('button', { name: 'Save as a new post' }))
    expect(await screen.findByText('Post created successfully')).toBeVisible()
    expect(calls.find(({ method }) => method === 'POST')?.body).toMatchObject({ title: 'Red bags!' })
  })
})

describe('unsaved work', () => {
  test('is kept on the device within seconds and offered when the post is opened again', async () => {
    gateway()
    const first = renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), ' unsaved')
    await waitFor(() => expect(readDraft(draftKey('id-1'))?.form.title).toBe('Red bags unsaved'))
    expect(screen.getByText(/^Unsaved changes, kept on this device at/)).toBeVisible()
    first.unmount()

    renderEditor('/admin/blog/id-1')
    const dialog = await screen.findByRole('dialog', { name: 'Unsaved changes found' })
    expect(field(/^Title/)).toHaveValue('Red bags')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Restore' }))
    expect(field(/^Title/)).toHaveValue('Red bags unsaved')
    await press('Save Draft')
    await screen.findByText('Post updated successfully')
    expect(readDraft(draftKey('id-1'))).toBeNull()
  })

  test('is kept at once when the page goes away', async () => {
    gateway()
    const { unmount } = renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), '!')
    unmount()
    expect(readDraft(draftKey('id-1'))?.form.title).toBe('Red bags!')
  })

  test('of a new post is offered too, and can be discarded', async () => {
    gateway()
    const { unmount } = renderEditor('/admin/blog/new')
    await userEvent.type(field(/^Title/), 'Lost?')
    unmount()
    renderEditor('/admin/blog/new')
    const dialog = await screen.findByRole('dialog', { name: 'Unsaved changes found' })
    expect(dialog).toHaveTextContent('Lost?')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Discard' }))
    expect(Object.keys(localStorage)).toEqual([])
    expect(field(/^Title/)).toHaveValue('')
  })

  test('made from an older version meets the newer one instead of replacing it', async () => {
    writeDraft(draftKey('id-1'), { form: { ...formOf(post, false), title: 'From the draft' }, version: '2026-01-01T00:00:00+00:00', savedAt: Date.now() })
    const calls = gateway(post, ({ method, query }) => (method === 'PATCH' && query.get('updated_at') !== `eq.${post.updated_at}` ? { body: [] } : undefined))
    renderEditor('/admin/blog/id-1')
    const offer = await screen.findByRole('dialog', { name: 'Unsaved changes found' })
    expect(offer).toHaveTextContent('The post has been saved by someone since')
    await userEvent.click(within(offer).getByRole('button', { name: 'Restore' }))
    await press('Save Draft')
    expect(await screen.findByRole('dialog', { name: 'Someone else changed this post' })).toBeVisible()
    expect(written(calls)?.query.get('updated_at')).toBe('eq.2026-01-01T00:00:00+00:00')
  })

  test('that equals what is stored is not offered', async () => {
    writeDraft(draftKey('id-1'), { form: formOf(post, false), version: post.updated_at, savedAt: Date.now() })
    gateway()
    renderEditor('/admin/blog/id-1')
    await screen.findByLabelText(/^Title/)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('taken back leaves no draft behind', async () => {
    gateway()
    const { unmount } = renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), 'x{Backspace}')
    unmount()
    expect(readDraft(draftKey('id-1'))).toBeNull()
  })

  test('is asked about before a link is followed', async () => {
    gateway()
    renderEditor('/admin/blog/id-1')
    await userEvent.type(await screen.findByLabelText(/^Title/), '!')
    await userEvent.click(screen.getByRole('link', { name: 'Back to Admin' }))
    expect(address()).toBe('/admin/blog/id-1')
    await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
    expect(field(/^Title/)).toHaveValue('Red bags!')
    await userEvent.click(screen.getByRole('link', { name: 'Back to Admin' }))
    await userEvent.click(screen.getByRole('button', { name: 'Leave' }))
    expect(address()).toBe('/admin/blog')
  })

  test('makes the browser ask before the page is closed, saved work does not', async () => {
    gateway()
    renderEditor('/admin/blog/id-1')
    await screen.findByLabelText(/^Title/)
    const close = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
    expect(close()).toBe(false)
    await userEvent.type(field(/^Title/), '!')
    expect(close()).toBe(true)
  })
})

describe('history', () => {
  test('shows what an earlier version had and brings it back into the editor', async () => {
    const { id: _id, created_at: _created, updated_at: _updated, ...texts } = post
    const earlier = { ...texts, id: 'rev-1', post_id: 'id-1', title: 'First title', saved_at: '2026-03-01T12:00:00Z', replaced_at: '2026-03-02T12:00:00Z', replaced_by: null }
    const calls = gateway(post, ({ path, headers }) =>
      path === '/rest/v1/blog_post_revisions' ? { body: headers.get('accept')?.includes('object') ? earlier : [earlier] } : undefined,
    )
    renderEditor('/admin/blog/id-1')
    await screen.findByLabelText(/^Title/)
    await press('History')
    const dialog = screen.getByRole('dialog', { name: 'History' })
    await userEvent.click(await within(dialog).findByRole('button', { name: /First title/ }))
    expect(await within(dialog).findByText('First', { exact: false, selector: 'del' })).toBeVisible()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Restore this version' }))
    expect(field(/^Title/)).toHaveValue('First title')
    await press('Save Draft')
    await screen.findByText('Post updated successfully')
    expect(calls.find(({ method }) => method === 'PATCH')?.body).toMatchObject({ title: 'First title', published: false })
  })
})

test('an article can be edited as HTML and back', async () => {
  const calls = gateway()
  renderEditor('/admin/blog/id-1')
  await screen.findByLabelText(/^Title/)
  await press('Edit as HTML')
  const source = field('Content as HTML')
  expect(source).toHaveValue(post.content)
  await userEvent.clear(source)
  await userEvent.click(source)
  await userEvent.paste('<p>By <em>hand</em></p>')
  await press('Edit visually')
  expect(screen.getByRole('textbox', { name: 'Content' })).toHaveTextContent('By hand')
  await press('Save Draft')
  await screen.findByText('Post updated successfully')
  expect(written(calls)?.body).toMatchObject({ content: '<p>By <em>hand</em></p>' })
})

test('what the visual editor cannot show is announced', async () => {
  gateway({ ...post, content: '<div class="ql-x"><p id="a">one<br>two</p></div>' })
  renderEditor('/admin/blog/id-1')
  expect(await screen.findByText(/This article has sections, anchors, line breaks inside paragraphs/)).toBeVisible()
})

test('an empty form is what the contract says', () => {
  expect(emptyForm).toMatchObject({ authorName: 'United Medical Waste', readingTime: '5', published: false })
})
