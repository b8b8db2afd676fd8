import { Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { dateTime } from '@/lib/dates'
import { useSearchParams } from 'react-router-dom'
import { Seo } from '@/lib/seo'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Select } from '@/ui/input'
import { Link } from '@/ui/link'
import { Spinner } from '@/ui/spinner'
import { toast } from '@/ui/toast-store'
import { type LeadCounts, useLeadCounts } from './api/count-leads'
import { exportLeads } from './api/export-leads'
import { useHeld } from './api/list-held'
import { LEAD_TABLES, reloadLeads, useLeads } from './api/list-leads'
import { releaseLead } from './api/release-lead'
import { setLeadStatus } from './api/set-lead-status'
import { type Held, type Lead, formNames, forms } from './leads/lead'
import { HeldDialog, LeadDialog } from './leads/lead-dialogs'
import { type LeadListState, leadListQuery, parseLeadListState, statusOptions } from './leads/lead-list-state'
import { useLive } from './use-live'
import './admin.css'

export default function LeadsPage() {
  const [params, setParams] = useSearchParams()
  const state = parseLeadListState(params)
  return (
    <div className="min-h-svh bg-granite-50">
      <Seo title="Leads" description="What visitors sent" noindex />
      <div className="container py-8 lg:py-10">
        <div className="flex flex-wrap items-end justify-between gap-5">
          <div>
            <h1 className="text-h2">Leads</h1>
            <p className="mt-1.5 text-granite-600">What visitors sent, newest first</p>
            <NewLeads />
          </div>
          {state.form === 'quarantine' ? null : <ExportButton state={state} />}
        </div>
        <div className="mt-6 flex flex-wrap items-center justify-between gap-4">
          <FormTabs state={state} />
          <div className="w-full sm:w-56">
            <Select
              aria-label="State"
              options={statusOptions}
              value={state.status}
              onChange={(event) => setParams(leadListQuery({ ...state, status: event.target.value as LeadListState['status'] }))}
            />
          </div>
        </div>
        {state.form === 'quarantine' ? <HeldList status={state.status} /> : <LeadList state={state} />}
      </div>
    </div>
  )
}

/** Reads the lists again when something was written, and says what is new since the page was opened. */
function NewLeads() {
  const [fresh, setFresh] = useState(0)
  useLive(LEAD_TABLES, (changes) => {
    setFresh((count) => count + changes.filter(({ table, eventType }) => table !== 'quarantine' && eventType === 'INSERT').length)
    void reloadLeads()
  })
  return (
    <p role="status" className="mt-1.5 min-h-5 text-sm text-harbor-700">
      {fresh === 0 ? '' : fresh === 1 ? 'A new lead has just arrived' : `${fresh} new leads since you opened this page`}
    </p>
  )
}

function FormTabs({ state }: { state: LeadListState }) {
  const { data: counts } = useLeadCounts()
  const tabs: { form: keyof LeadCounts; label: string }[] = [
    { form: 'all', label: 'All forms' },
    ...formNames.map((form) => ({ form, label: forms[form].label })),
    { form: 'quarantine', label: 'Quarantine' },
  ]
  return (
    <nav aria-label="Forms" className="flex flex-wrap gap-2">
      {tabs.map(({ form, label }) => (
        <Link
          key={form}
          to={{ search: leadListQuery({ ...state, form }) }}
          aria-current={form === state.form ? 'page' : undefined}
          className="inline-flex min-h-9 items-center gap-2 rounded-full border border-granite-300 bg-white px-4 text-sm font-semibold hover:border-harbor-700 aria-[current=page]:border-harbor-700 aria-[current=page]:bg-harbor-700 aria-[current=page]:text-white"
        >
          {label}{' '}
          {counts && counts[form] > 0 ? (
            <span className="rounded-full bg-gold-400 px-2 text-xs text-harbor-950 tabular-nums">
              {counts[form]} <span className="sr-only">waiting</span>
            </span>
          ) : null}
        </Link>
      ))}
    </nav>
  )
}

function ExportButton({ state }: { state: LeadListState }) {
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const { csv, rows } = await exportLeads(state)
      download(`leads-${state.form}-${new Date().toISOString().slice(0, 10)}.csv`, csv)
      toast({ title: 'Leads exported', description: `${rows} rows` })
    } catch {
      toast({ title: 'Error', description: 'The leads could not be exported', variant: 'destructive' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button variant="outline" busy={busy} onClick={() => void run()}>
      <Download aria-hidden="true" /> Export CSV
    </Button>
  )
}

function download(name: string, text: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

function LeadList({ state }: { state: LeadListState }) {
  const { data, isPending, isError, hasNextPage, isFetchingNextPage, fetchNextPage } = useLeads(state)
  const [open, setOpen] = useState<Lead | null>(null)
  const { busy, run } = useBusy()
  const leads = data?.pages.flatMap((page) => page.leads) ?? []

  const toggle = (lead: Lead) => {
    const status = lead.status === 'new' ? 'handled' : 'new'
    void run(() => setLeadStatus(lead, status), status === 'handled' ? 'Marked as handled' : 'Marked as new', 'The lead could not be changed').then(() => setOpen(null))
  }

  return (
    <>
      <Panel isPending={isPending} isError={isError} empty={leads.length === 0 ? 'No leads here.' : null}>
        <ul className="divide-y divide-granite-200">
          {leads.map((lead) => (
            <li key={lead.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-4 sm:px-6">
              <button type="button" onClick={() => setOpen(lead)} className="min-w-0 flex-1 basis-64 rounded-sm text-left hover:text-harbor-700">
                <span className="block truncate font-semibold">
                  {lead.name}
                  {lead.about === '' ? '' : ` · ${lead.about}`}
                </span>
                <span className="block truncate text-sm text-granite-600">
                  {lead.email} · {dateTime(lead.createdAt)}
                </span>
              </button>
              <span className="flex flex-wrap items-center gap-2">
                {lead.pressing === '' ? null : <Badge tone="gold">{lead.pressing}</Badge>}
                <Badge tone="harbor">{forms[lead.form].label}</Badge>
                <Badge tone={lead.status === 'new' ? 'success' : 'neutral'}>{lead.status === 'new' ? 'New' : 'Handled'}</Badge>
                <Button variant="outline" size="sm" disabled={busy} aria-label={`${lead.status === 'new' ? 'Mark as handled' : 'Mark as new'}: ${lead.name}`} onClick={() => toggle(lead)}>
                  {lead.status === 'new' ? 'Mark as handled' : 'Mark as new'}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      {hasNextPage ? (
        <div className="mt-6 text-center">
          <Button variant="outline" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older leads
          </Button>
        </div>
      ) : null}
      <LeadDialog lead={open} busy={busy} onClose={() => setOpen(null)} onToggle={toggle} />
    </>
  )
}

function HeldList({ status }: { status: LeadListState['status'] }) {
  const { data: held = [], isPending, isError } = useHeld(status)
  const [open, setOpen] = useState<Held | null>(null)
  const { busy, run } = useBusy()

  const release = (one: Held) =>
    void run(() => releaseLead(one), 'Released: it is now among the leads', 'The submission could not be released').then((done) => {
      if (done) setOpen(null)
    })

  return (
    <>
      <p className="mt-6 text-sm text-granite-600">
        Submissions in which a hidden field was filled, as robots do. Nothing here was mailed. Release what was sent by a person.
      </p>
      <Panel isPending={isPending} isError={isError} empty={held.length === 0 ? 'Nothing is held here.' : null}>
        <ul className="divide-y divide-granite-200">
          {held.map((one) => (
            <li key={one.id}>
              <button type="button" onClick={() => setOpen(one)} className="flex w-full flex-wrap items-center gap-x-4 gap-y-1 px-5 py-4 text-left hover:bg-granite-50 sm:px-6">
                <span className="min-w-0 flex-1 basis-64 truncate font-semibold">{String(one.payload.email ?? 'No e-mail address')}</span>
                <span className="text-sm text-granite-600">{dateTime(one.receivedAt)}</span>
                <Badge tone="harbor">{forms[one.form].label}</Badge>
                {one.releasedAt ? <Badge>Released</Badge> : <Badge tone="gold">Held</Badge>}
              </button>
            </li>
          ))}
        </ul>
      </Panel>
      <HeldDialog held={open} busy={busy} onClose={() => setOpen(null)} onRelease={release} />
    </>
  )
}

function Panel({ isPending, isError, empty, children }: { isPending: boolean; isError: boolean; empty: string | null; children: ReactNode }) {
  const note = isError ? 'The leads could not be loaded. Reload the page to try again.' : empty
  return (
    <div className="mt-6 rounded-lg border border-granite-200 bg-white">
      {isPending ? (
        <p role="status" className="flex items-center justify-center gap-3 px-6 py-16 text-granite-600">
          <Spinner /> Loading leads...
        </p>
      ) : note === null ? (
        children
      ) : (
        <p role={isError ? 'alert' : undefined} className="px-6 py-16 text-center text-granite-600">
          {note}
        </p>
      )}
    </div>
  )
}

/** Runs one thing at a time and says how it ended; resolves to whether it went well. */
function useBusy() {
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<void>, success: string, failure: string): Promise<boolean> => {
    setBusy(true)
    try {
      await work()
      toast({ title: 'Success', description: success })
      return true
    } catch (error) {
      const reason = error instanceof Error && error.message ? `${failure}: ${error.message}` : failure
      toast({ title: 'Error', description: reason, variant: 'destructive' })
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, run }
}
