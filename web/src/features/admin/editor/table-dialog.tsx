import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { type Grid, gridOf, tableOf, withColumn, withRow, withText, withoutColumn, withoutRow } from './table-grid'

export const EMPTY_TABLE = '<table><thead><tr><th></th><th></th></tr></thead><tbody><tr><td></td><td></td></tr><tr><td></td><td></td></tr></tbody></table>'

interface TableDialogProps {
  /** The table's HTML, or null while closed. */
  html: string | null
  isNew: boolean
  onClose: () => void
  onSave: (html: string) => void
}

/** A table, cell by cell. */
export function TableDialog({ html, isNew, onClose, onSave }: TableDialogProps) {
  return (
    <Dialog open={html !== null} onClose={onClose} title={isNew ? 'New table' : 'Edit table'} wide>
      {html === null ? null : <TableForm html={html} isNew={isNew} onClose={onClose} onSave={onSave} />}
    </Dialog>
  )
}

function TableForm({ html, isNew, onClose, onSave }: TableDialogProps & { html: string }) {
  const [opened] = useState(() => gridOf(html))
  const [grid, setGrid] = useState<Grid>(opened)
  const columns = grid.rows[0]?.length ?? 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The editor's own form surrounds this one in the tree, and must not see it.
    event.stopPropagation()
    if (grid === opened && !isNew) onClose()
    else onSave(tableOf(grid))
  }
  return (
    <form noValidate onSubmit={submit} className="grid gap-5">
      <label className="flex items-center gap-2 text-sm font-semibold">
        <input type="checkbox" className="size-5 accent-harbor-700" checked={grid.hasHeader} onChange={(event) => setGrid({ ...grid, hasHeader: event.target.checked })} />
        The first row names the columns
      </label>
      <div className="max-h-[50dvh] overflow-auto rounded-lg border border-granite-200 p-2">
        <table className="w-full border-separate border-spacing-1">
          <tbody>
            {grid.rows.map((row, y) => (
              // A cell is known by its place alone.
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={y}>
                {row.map(({ text }, x) => (
                  // oxlint-disable-next-line react/no-array-index-key
                  <td key={x}>
                    <textarea
                      aria-label={`Row ${y + 1}, column ${x + 1}`}
                      rows={Math.max(1, text.split('\n').length)}
                      className={`w-full min-w-28 rounded-md border border-granite-400 px-2 py-1.5 text-sm ${grid.hasHeader && y === 0 ? 'bg-harbor-50 font-semibold' : ''}`}
                      value={text}
                      onChange={(event) => setGrid(withText(grid, y, x, event.target.value))}
                    />
                  </td>
                ))}
                <td className="w-10">
                  <Button variant="quiet" size="sm" aria-label={`Delete row ${y + 1}`} disabled={grid.rows.length < 2} onClick={() => setGrid(withoutRow(grid, y))}>
                    <Trash2 aria-hidden="true" />
                  </Button>
                </td>
              </tr>
            ))}
            <tr>
              {Array.from({ length: columns }, (_, x) => (
                // oxlint-disable-next-line react/no-array-index-key
                <td key={x} className="text-center">
                  <Button variant="quiet" size="sm" aria-label={`Delete column ${x + 1}`} disabled={columns < 2} onClick={() => setGrid(withoutColumn(grid, x))}>
                    <Trash2 aria-hidden="true" />
                  </Button>
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" onClick={() => setGrid(withRow(grid))}>
          <Plus aria-hidden="true" />
          Row
        </Button>
        <Button variant="outline" size="sm" onClick={() => setGrid(withColumn(grid))}>
          <Plus aria-hidden="true" />
          Column
        </Button>
      </div>
      <DialogActions>
        <Button variant="outline" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit">{isNew ? 'Insert table' : 'Update table'}</Button>
      </DialogActions>
    </form>
  )
}
