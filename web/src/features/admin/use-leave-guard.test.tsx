import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { BrowserRouter, Route, Routes } from 'react-router-dom'
import { Link } from '@/ui/link'
import { useLeaveGuard } from './use-leave-guard'

function Work({ unsaved }: { unsaved: boolean }) {
  const guard = useLeaveGuard(unsaved)
  return (
    <>
      <h1>Work</h1>
      <Link to="/list">List</Link>
      <a href="#part">Part</a>
      {guard.asking ? (
        <>
          <button type="button" onClick={guard.leave}>
            Leave
          </button>
          <button type="button" onClick={guard.stay}>
            Stay
          </button>
        </>
      ) : null}
    </>
  )
}

const renderWork = (unsaved: boolean) =>
  render(
    <BrowserRouter>
      <Routes>
        <Route path="/work" element={<Work unsaved={unsaved} />} />
        <Route path="/list" element={<h1>The list</h1>} />
      </Routes>
    </BrowserRouter>,
  )
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

beforeEach(() => {
  window.history.pushState(null, '', '/list')
  window.history.pushState(null, '', '/work')
})

test('Back is asked about, and yes goes where Back would have gone', async () => {
  renderWork(true)
  window.history.back()
  await screen.findByRole('button', { name: 'Stay' })
  expect(window.location.pathname).toBe('/work')
  await press('Stay')
  expect(screen.getByRole('heading', { name: 'Work' })).toBeVisible()

  window.history.back()
  await screen.findByRole('button', { name: 'Leave' })
  await press('Leave')
  expect(await screen.findByRole('heading', { name: 'The list' })).toBeVisible()
  expect(window.location.pathname).toBe('/list')
})

test('a link is asked about, one inside the page is not', async () => {
  renderWork(true)
  await userEvent.click(screen.getByRole('link', { name: 'Part' }))
  expect(screen.queryByRole('button', { name: 'Stay' })).toBeNull()
  await userEvent.click(screen.getByRole('link', { name: 'List' }))
  await press('Leave')
  await waitFor(() => expect(window.location.pathname).toBe('/list'))
})

test('saved work is left without a word', async () => {
  renderWork(false)
  window.history.back()
  expect(await screen.findByRole('heading', { name: 'The list' })).toBeVisible()
})
