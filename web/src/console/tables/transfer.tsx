import { useState } from 'react'
import { API, query } from '../lib/api'
import { CopyButton } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { CheckField } from '../parts/field'
import { Code, Tabs } from '../parts/page'
import type { View } from './rows'

/** All rows of what is shown as a file, streamed by the server. */
export function exportPath(view: View, format: 'csv' | 'json', safe = false): string {
  return `${API}rows/export${query({ schema: view.schema, table: view.table, format, as: view.as, filters: view.filters.length > 0 ? JSON.stringify(view.filters) : undefined, order: view.order.length > 0 ? JSON.stringify(view.order) : undefined, safe: safe && format === 'csv' ? 'true' : undefined })}`
}

export function ExportDialog({ view, onClose }: { view: View; onClose: () => void }) {
  const [safe, setSafe] = useState(false)
  return (
    <Dialog title={`Export ${view.table}`} onClose={onClose}>
      <p>{view.filters.length > 0 ? 'The rows that pass the filters' : 'All rows'}, in the order that is shown, with their whole values.</p>
      <CheckField label="For a spreadsheet: no formulas" checked={safe} onChange={(event) => setSafe(event.target.checked)} hint="Puts a ' before texts of the CSV file that begin with = + - or @. It changes them: leave it out for a file that is to come back." />
      <div className="row">
        {(['csv', 'json'] as const).map((format) => (
          <a key={format} className="button primary" href={exportPath(view, format, safe)} download={`${view.table}.${format}`} onClick={() => setTimeout(onClose, 100)}>
            Export {format.toUpperCase()}
          </a>
        ))}
      </div>
    </Dialog>
  )
}

/** The request behind the rows, to take along. */
export function RequestDialog({ request, onClose }: { request: { curl: string; js: string; python: string }; onClose: () => void }) {
  const [language, setLanguage] = useState<'curl' | 'js' | 'python'>('curl')
  return (
    <Dialog title="The request behind these rows" wide onClose={onClose}>
      <Tabs
        label="Language"
        tabs={[
          { id: 'curl', label: 'curl' },
          { id: 'js', label: 'JavaScript' },
          { id: 'python', label: 'Python' },
        ]}
        current={language}
        onChange={(id) => setLanguage(id as typeof language)}
      >
        <Code label="Request">{request[language]}</Code>
        <div>
          <CopyButton text={request[language]} label="Copy request" />
        </div>
      </Tabs>
    </Dialog>
  )
}
