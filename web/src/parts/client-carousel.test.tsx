import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { ClientCarousel } from './client-carousel'

test('each client is read once, although the band shows them twice', () => {
  render(<ClientCarousel title="Clients" names={['Casco Shore Pediatrics', 'Green Mountain Dialysis']} />)
  expect(screen.getAllByText('Casco Shore Pediatrics')).toHaveLength(2)
  expect(within(screen.getByRole('list')).getAllByRole('listitem')).toHaveLength(2)
})

test('its button stops the band and starts it again', async () => {
  render(<ClientCarousel title="Clients" names={['Casco Shore Pediatrics']} />)
  const track = screen.getByTestId('carousel-track')
  await userEvent.click(screen.getByRole('button', { name: 'Pause the list of clients' }))
  expect(track).toHaveStyle({ animationPlayState: 'paused' })
  await userEvent.click(screen.getByRole('button', { name: 'Play the list of clients' }))
  expect(track).not.toHaveStyle({ animationPlayState: 'paused' })
})
