import { act, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Toaster, toast } from './toast'
import { dismiss, toastStore } from './toast-store'

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  render(<Toaster />)
})

afterEach(() => {
  act(() => {
    for (const { id } of toastStore.get()) dismiss(id)
  })
  vi.useRealTimers()
})

const say = (...toasts: Parameters<typeof toast>[0][]) => act(() => toasts.forEach(toast))

test('good news is a status, bad news an alert', () => {
  say({ title: 'Saved', description: 'All good.' }, { title: 'Lost', variant: 'destructive' })
  expect(within(screen.getByRole('status')).getByText('Saved')).toBeVisible()
  expect(within(screen.getByRole('alert')).getByText('Lost')).toBeVisible()
})

test('a message leaves by itself, a failure later', () => {
  say({ title: 'Saved' }, { title: 'Lost', variant: 'destructive' })
  act(() => vi.advanceTimersByTime(6000))
  expect(screen.queryByText('Saved')).toBeNull()
  expect(screen.getByText('Lost')).toBeVisible()
  act(() => vi.advanceTimersByTime(4000))
  expect(screen.queryByText('Lost')).toBeNull()
})

test('it can be dismissed', async () => {
  say({ title: 'Saved' })
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss: Saved' }))
  expect(screen.queryByText('Saved')).toBeNull()
})

test('only the last three are shown', () => {
  say({ title: 'One' }, { title: 'Two' }, { title: 'Three' }, { title: 'Four' })
  expect(screen.queryByText('One')).toBeNull()
  expect(screen.getByText('Four')).toBeVisible()
})
