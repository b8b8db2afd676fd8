import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { Dialog } from './dialog'

const shown = () => screen.getByRole<HTMLDialogElement>('dialog', { hidden: true })

/** What a browser does: it asks, closes unless that is refused, and tells so a task later. */
const escape = (refusable = true) => {
  const asked = fireEvent(shown(), new Event('cancel', { cancelable: refusable }))
  if (!asked) return
  shown().open = false
  fireEvent(shown(), new Event('close'))
}

test('what is opened again before the closing was told stays open', () => {
  const onClose = vi.fn<() => void>()
  const asking = (open: boolean, words: string) => (
    <Dialog open={open} onClose={onClose} title="Ask">
      {words}
    </Dialog>
  )
  const { rerender } = render(asking(true, 'first'))
  const told = vi.spyOn(HTMLDialogElement.prototype, 'close').mockImplementation(function close(this: HTMLDialogElement) {
    this.open = false
  })
  rerender(asking(false, ''))
  rerender(asking(true, 'second'))
  expect(told).toHaveBeenCalledOnce()
  fireEvent(shown(), new Event('close'))
  expect(onClose).not.toHaveBeenCalled()
  expect(screen.getByText('second')).toBeVisible()
  told.mockRestore()
})

test.each([true, false])('closing one question of several brings the next, whether the browser may be refused or not: %s', (refusable) => {
  function Questions() {
    const [left, setLeft] = useState(['first', 'second'])
    return (
      <Dialog open={left.length > 0} onClose={() => setLeft(left.slice(1))} title="Ask">
        {left[0]}
      </Dialog>
    )
  }
  render(<Questions />)
  escape(refusable)
  expect(shown().open).toBe(true)
  expect(screen.getByText('second')).toBeVisible()
  escape()
  expect(shown().open).toBe(false)
})

test('a locked dialog comes back when a browser closes it all the same', () => {
  const onClose = vi.fn<() => void>()
  render(
    <Dialog open onClose={onClose} title="Ask" locked>
      words
    </Dialog>,
  )
  escape()
  escape(false)
  expect(shown().open).toBe(true)
  expect(onClose).not.toHaveBeenCalled()
})

test('a file chooser that was left closes nothing around it', () => {
  const onClose = vi.fn<() => void>()
  render(
    <Dialog open onClose={onClose} title="Ask">
      <input type="file" aria-label="File" />
    </Dialog>,
  )
  fireEvent(screen.getByLabelText('File'), new Event('cancel', { bubbles: true, cancelable: true }))
  expect(onClose).not.toHaveBeenCalled()
  expect(shown().open).toBe(true)
})
