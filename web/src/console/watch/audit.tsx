import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, query } from '../lib/api'
import { moment, pretty } from '../lib/format'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { SearchField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Code, Facts, Page } from '../parts/page'
import { Failure, Loading } from '../parts/states'

interface Note {
  id: string
  at: string
  account: string
  address: string | null
  action: string
  target: string | null
  status: string | number | null
  detail: unknown
}

const PAGE = 100

/** What was changed from the console: by whom, from where, and what came of it. */
export function AuditLog() {
  const [text, setText] = useState('')
  const [shown, setShown] = useState<Note | null>(null)
  const notes = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => api<{ rows: Note[] }>(`audit${query({ before: pageParam, limit: PAGE })}`, { signal }),
    getNextPageParam: (last) => (last.rows.length === PAGE ? String(last.rows.at(-1)?.id ?? '') : undefined),
  })
  const wanted = text.toLowerCase()
  const rows = (notes.data?.pages ?? []).flatMap((page) => page.rows).filter((row) => wanted === '' || JSON.stringify(row).toLowerCase().includes(wanted))
  return (
    <Page title="Audit log" lead="Every change made in this console. Nobody can edit it here.">
      <SearchField label="Search audit log" value={text} onChange={setText} />
      {notes.isError ? <Failure error={notes.error} onRetry={() => void notes.refetch()} /> : null}
      {notes.isPending ? <Loading what="Reading the audit log" /> : null}
      {notes.data ? (
        <List
          label="Audit log"
          rows={rows}
          id={(row) => String(row.id)}
          empty={text === '' ? 'Nothing was changed yet.' : 'Nothing of that is found in what was read.'}
          columns={[
            { name: 'When', cell: (row) => moment(row.at) },
            { name: 'Who', cell: (row) => row.account },
            { name: 'Address', wide: true, cell: (row) => row.address ?? '–' },
            { name: 'What', cell: (row) => <code className="break">{row.action}</code> },
            { name: 'On', wide: true, cell: (row) => <code className="break">{row.target ?? ''}</code> },
            { name: 'Status', cell: (row) => <Badge tone={Number(row.status) >= 400 ? 'bad' : row.status === null ? 'warn' : 'good'}>{row.status ?? 'open'}</Badge> },
          ]}
          actions={(row) => (
            <Button aria-label={`Open entry ${row.id}`} onClick={() => setShown(row)}>
              Open
            </Button>
          )}
        />
      ) : null}
      {notes.hasNextPage ? (
        <div>
          <Button busy={notes.isFetchingNextPage} onClick={() => void notes.fetchNextPage()}>
            Older entries
          </Button>
        </div>
      ) : null}
      {shown ? (
        <Dialog title="Audit log entry" wide onClose={() => setShown(null)}>
          <Facts
            facts={[
              ['When', moment(shown.at)],
              ['Who', shown.account],
              ['Address', shown.address],
              ['What', shown.action],
              ['Status', String(shown.status ?? 'open')],
            ]}
          />
          <Code label="On what">{shown.target ?? ''}</Code>
          <Code label="Details">{pretty(shown.detail ?? {})}</Code>
        </Dialog>
      ) : null}
    </Page>
  )
}
