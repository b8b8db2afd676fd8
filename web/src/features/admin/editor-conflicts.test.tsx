import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { post, isRead, gateway, renderEditor, address, field, press } from './testing/editor'

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
