import { useInfiniteQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'
import { type FormName, type Lead, type LeadRow, formNames, leadOf } from '../leads/lead'
import type { LeadListState } from '../leads/lead-list-state'

const PAGE_SIZE = 25

/** The newest leads of one form that are older than `before`. */
async function readForm(form: FormName, status: LeadListState['status'], before: string | null, rows: number): Promise<LeadRow[]> {
  const read = () => {
    switch (form) {
      case 'contact':
        return client().from('contact_messages').select('*')
      case 'newsletter':
        return client().from('newsletter_subscriptions').select('*')
      default:
        return client().from('quote_requests').select('*').eq('quick_start_service', form === 'quick-start')
    }
  }
  let query = read()
  if (status !== 'all') query = query.eq('status', status)
  if (before !== null) query = query.lt('created_at', before)
  const found = dataOf(await query.order('created_at', { ascending: false }).limit(rows))
  return found.map((row) => ({ form, ...row }) as LeadRow)
}

export interface LeadPage {
  leads: Lead[]
  /** Where the next page begins; null after the last. */
  next: string | null
}

/** A page of leads, newest first: of one form, or of all forms merged by their time. */
export async function readLeads({ form, status }: LeadListState, before: string | null, rows = PAGE_SIZE): Promise<LeadPage> {
  const wanted = form === 'all' ? formNames : form === 'quarantine' ? [] : [form]
  const found = await Promise.all(wanted.map((name) => readForm(name, status, before, rows)))
  const leads = found
    .flat()
    .map(leadOf)
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
    .slice(0, rows)
  return { leads, next: leads.length === rows ? (leads.at(-1)?.createdAt ?? null) : null }
}

/** Where leads, and what is held back, are written. */
export const LEAD_TABLES = ['contact_messages', 'newsletter_subscriptions', 'quote_requests', 'quarantine'] as const

export const LEADS_KEY = ['admin', 'leads']

export const useLeads = (state: LeadListState) =>
  useInfiniteQuery(
    {
      queryKey: [...LEADS_KEY, 'list', state],
      queryFn: ({ pageParam }) => readLeads(state, pageParam),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next,
      staleTime: 0,
    },
    queryClient,
  )

export const reloadLeads = () => queryClient.invalidateQueries({ queryKey: LEADS_KEY })
