import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { draftKey, readDraft, writeDraft } from './editor/local-draft'
import { formOf } from './editor/post-form'
import { post, written, gateway, renderEditor, address, field, press } from './testing/editor'

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
