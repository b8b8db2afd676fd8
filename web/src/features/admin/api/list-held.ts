import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'
import { heldOf } from '../leads/lead'
import type { LeadListState } from '../leads/lead-list-state'
import { LEADS_KEY } from './list-leads'

const SHOWN = 200

async function listHeld(status: LeadListState['status']) {
  let query = client().from('quarantine').select('*')
  if (status === 'new') query = query.is('released_at', null)
  if (status === 'handled') query = query.not('released_at', 'is', null)
  return dataOf(await query.order('received_at', { ascending: false }).limit(SHOWN)).map(heldOf)
}

/** The newest submissions that a trap caught; 'handled' ones were released. */
export const useHeld = (status: LeadListState['status']) =>
  useQuery({ queryKey: [...LEADS_KEY, 'held', status], queryFn: () => listHeld(status), staleTime: 0 }, queryClient)
