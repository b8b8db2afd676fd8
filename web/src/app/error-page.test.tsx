import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { ErrorBoundary } from './error-page'

let broken = true
function Fragile() {
  if (broken) throw new Error('boom')
  return <h1>Fine</h1>
}

beforeEach(() => {
  broken = true
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

test('an error while rendering shows the apology with ways out', () => {
  render(<ErrorBoundary resetKey="/a"><Fragile /></ErrorBoundary>)
  expect(screen.getByRole('heading', { name: 'Something Went Wrong' })).toBeVisible()
  expect(screen.getByText('We apologize for the inconvenience. An unexpected error has occurred.')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Return Home' })).toHaveAttribute('href', '/')
  expect(screen.getByRole('link', { name: 'contact us' })).toHaveAttribute('href', '/contact')
})

test('Try Again renders the page anew', async () => {
  render(<ErrorBoundary resetKey="/a"><Fragile /></ErrorBoundary>)
  broken = false
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(screen.getByRole('heading', { name: 'Fine' })).toBeVisible()
})

test('the error does not follow the visitor to another page', () => {
  const { rerender } = render(<ErrorBoundary resetKey="/a"><Fragile /></ErrorBoundary>)
  broken = false
  rerender(<ErrorBoundary resetKey="/b"><Fragile /></ErrorBoundary>)
  expect(screen.getByRole('heading', { name: 'Fine' })).toBeVisible()
})
