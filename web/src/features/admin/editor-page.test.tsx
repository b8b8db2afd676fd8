import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { type Post, emptyForm } from './editor/post-form'
import { post, isRead, written, gateway, renderEditor, address, field, press, write } from './testing/editor'

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
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
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

test('a first save whose answer was lost is found again by the next one', async () => {
  let stored: Post | null = null
  const calls = gateway(null, ({ method, path, body }) => {
    if (path !== '/rest/v1/blog_posts') return undefined
    if (method === 'GET') return { body: stored ? [stored] : [] }
    if (method === 'PATCH') return { body: [{ id: stored?.id }] }
    if (stored) return { status: 409, body: { code: '23505', message: 'duplicate key value violates unique constraint "blog_posts_slug_key"', details: null, hint: null } }
    stored = { ...post, ...(body as Partial<Post>) }
    return { status: 502, body: 'lost' }
  })
  renderEditor('/admin/blog/new')
  await userEvent.type(field(/^Title/), 'Once')
  await press('Save Draft')
  await screen.findByText('Failed to save post')
  await userEvent.type(field('Excerpt'), 'More.')
  await press('Save Draft')
  expect(await screen.findByText('Post created successfully')).toBeVisible()
  const [first, second, update] = calls.filter(({ method }) => method === 'POST' || method === 'PATCH')
  expect(second?.body).toMatchObject({ id: (first?.body as Post | undefined)?.id })
  expect(update).toMatchObject({ method: 'PATCH', body: { excerpt: 'More.' } })
})

test('what the visual editor cannot show is a block of its own, and can be edited as HTML', async () => {
  const calls = gateway({ ...post, content: '<p>a</p><blockquote><h3>b</h3></blockquote>' })
  renderEditor('/admin/blog/id-1')
  expect(await screen.findByText('Section kept as it is')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Edit HTML' }))
  const source = screen.getByRole('textbox', { name: 'HTML of this section' })
  await userEvent.clear(source)
  await userEvent.paste('<blockquote><h3>c</h3></blockquote>')
  await press('Update section')
  await press('Save Draft')
  await screen.findByText('Post updated successfully')
  expect(written(calls)?.body).toMatchObject({ content: '<p>a</p><blockquote><h3>c</h3></blockquote>' })
})

test('a table is written cell by cell, and the cells nobody wrote in keep their markup', async () => {
  const calls = gateway({ ...post, content: '<table><tbody><tr><td>a</td><td><ul><li>b</li></ul></td></tr></tbody></table>' })
  renderEditor('/admin/blog/id-1')
  await userEvent.click(await screen.findByText('Edit table'))
  const cell = screen.getByRole('textbox', { name: 'Row 1, column 1' })
  await userEvent.clear(cell)
  await userEvent.type(cell, 'c')
  await press('Update table')
  await press('Save Draft')
  await screen.findByText('Post updated successfully')
  expect(written(calls)?.body).toMatchObject({ content: '<table><tbody><tr><td>c</td><td><ul><li>b</li></ul></td></tr></tbody></table>' })
})

test('an empty form is what the contract says', () => {
  expect(emptyForm).toMatchObject({ authorName: 'United Medical Waste', readingTime: '5', published: false })
})
