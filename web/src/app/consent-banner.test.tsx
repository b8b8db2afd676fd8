import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { ConsentBanner } from './consent-banner'

afterEach(() => {
  delete window.__ENV__
  document.getElementById('tag-manager')?.remove()
})

test('without a container there is nothing to ask', () => {
  window.__ENV__ = { GTM_ID: '' }
  render(<ConsentBanner />)
  expect(screen.queryByRole('region', { name: 'Cookie consent' })).toBeNull()
})

test('it asks once, and declining loads nothing', async () => {
  window.__ENV__ = { GTM_ID: 'GTM-TEST1' }
  const first = render(<ConsentBanner />)
  await userEvent.click(screen.getByRole('button', { name: 'Decline' }))
  expect(screen.queryByRole('region', { name: 'Cookie consent' })).toBeNull()
  expect(document.getElementById('tag-manager')).toBeNull()
  first.unmount()
  render(<ConsentBanner />)
  expect(screen.queryByRole('region', { name: 'Cookie consent' })).toBeNull()
})

test('accepting loads the container', async () => {
  window.__ENV__ = { GTM_ID: 'GTM-TEST1' }
  render(<ConsentBanner />)
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }))
  expect(document.getElementById('tag-manager')).not.toBeNull()
})
