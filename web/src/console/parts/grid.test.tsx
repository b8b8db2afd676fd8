import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { Grid, moved } from './grid'

test.each([
  ['ArrowDown', false, { row: 2, column: 1 }],
  ['ArrowUp', true, { row: 0, column: 1 }],
  ['ArrowLeft', false, { row: 1, column: 0 }],
  ['End', false, { row: 1, column: 2 }],
  ['End', true, { row: 9, column: 2 }],
  ['Home', true, { row: 0, column: 0 }],
  ['PageDown', false, { row: 5, column: 1 }],
  ['PageUp', false, { row: 0, column: 1 }],
])('%s (control: %s) moves', (key, control, to) => {
  expect(moved(key, control, { row: 1, column: 1 }, 10, 3, 4)).toEqual(to)
})

test('a letter moves nothing, and nothing leads out of the grid', () => {
  expect(moved('x', false, { row: 0, column: 0 }, 10, 3, 4)).toBeUndefined()
  expect(moved('ArrowDown', false, { row: 9, column: 0 }, 10, 3, 4)?.row).toBe(9)
  expect(moved('ArrowUp', false, { row: -1, column: 0 }, 10, 3, 4)?.row).toBe(-1)
})

// jsdom lays nothing out: without a height no row is in view.
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900)
})

function Fixture({ onEdit, onToggle }: { onEdit: (row: number, column: number) => void; onToggle: (row: number) => void }) {
  const [chosen, setChosen] = useState<number[]>([])
  return (
    <Grid
      label="Rows"
      columns={[
        { name: 'id', type: 'integer' },
        { name: 'name', type: 'text' },
      ]}
      rowCount={1000}
      total={100_000}
      cell={(row, column) => (column === 1 && row === 1 ? { text: null, state: 'NULL' } : { text: `${row}/${column}` })}
      selection={{
        has: (row) => chosen.includes(row),
        toggle: (row) => {
          onToggle(row)
          setChosen([...chosen, row])
        },
        all: () => undefined,
        every: false,
      }}
      onEdit={onEdit}
    />
  )
}

test('of a thousand rows those in view are drawn, and each says which of all it is', () => {
  render(<Fixture onEdit={() => undefined} onToggle={() => undefined} />)
  const grid = screen.getByRole('grid', { name: 'Rows' })
  expect(grid).toHaveAttribute('aria-rowcount', '100001')
  const rows = screen.getAllByRole('row')
  expect(rows.length).toBeLessThan(80)
  expect(rows[1]).toHaveAttribute('aria-rowindex', '2')
  expect(screen.getByRole('gridcell', { name: 'NULL' })).toBeVisible()
})

test('one tab stop leads in, and all is done by keys from there', async () => {
  const edits = vi.fn<(row: number, column: number) => void>()
  const toggles = vi.fn<(row: number) => void>()
  render(<Fixture onEdit={edits} onToggle={toggles} />)
  await userEvent.tab()
  await userEvent.keyboard('{ArrowDown}{ArrowRight}{ArrowRight}')
  expect(screen.getByRole('gridcell', { name: 'NULL' })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  expect(edits).toHaveBeenCalledWith(1, 1, false)
  await userEvent.keyboard(' ')
  expect(toggles).toHaveBeenCalledWith(1)
  expect(document.querySelectorAll('[role="grid"] [tabindex="0"]')).toHaveLength(1)
})

test('of hundreds of columns those in view are drawn, each says which of all it is, and keys reach the last', async () => {
  const columns = Array.from({ length: 300 }, (_, index) => ({ name: `c${index}`, type: 'integer' }))
  render(<Grid label="Wide" columns={columns} rowCount={50} total={50} cell={(row, column) => ({ text: `${row}/${column}` })} />)
  const grid = screen.getByRole('grid', { name: 'Wide' })
  expect(grid).toHaveAttribute('aria-colcount', '300')
  expect(screen.getAllByRole('columnheader').length).toBeLessThan(40)
  screen.getByRole('gridcell', { name: '0/0' }).focus()
  await userEvent.keyboard('{End}')
  const last = screen.getByRole('gridcell', { name: '0/299' })
  expect(last).toHaveFocus()
  expect(last).toHaveAttribute('aria-colindex', '300')
})
