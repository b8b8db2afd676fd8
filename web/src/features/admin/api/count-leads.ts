import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'
import type { FormName } from '../leads/lead'
import { LEADS_KEY } from './list-leads'

export type LeadCounts = Record<FormName | 'all' | 'quarantine', number>

const one = { count: 'exact', head: true } as const

async function countLeads(): Promise<LeadCounts> {
  const results = await Promise.all([
    client().from('quote_requests').select('id', one).eq('status', 'new').eq('quick_start_service', false),
    client().from('quote_requests').select('id', one).eq('status', 'new').eq('quick_start_service', true),
    client().from('contact_messages').select('id', one).eq('status', 'new'),
    client().from('newsletter_subscriptions').select('id', one).eq('status', 'new'),
    client().from('quarantine').select('id', one).is('released_at', null),
  ])
  const [quote = 0, quickStart = 0, contact = 0, newsletter = 0, quarantine = 0] = results.map((result) => {
    dataOf(result)
    return result.count ?? 0
  })
  return { quote, 'quick-start': quickStart, contact, newsletter, quarantine, all: quote + quickStart + contact + newsletter }
}

/** How many leads of each form wait for somebody. */
export const useLeadCounts = () => useQuery({ queryKey: [...LEADS_KEY, 'counts'], queryFn: countLeads, staleTime: 0 }, queryClient)
