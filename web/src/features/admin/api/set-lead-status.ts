import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'
import { type Lead, type LeadStatus, forms } from '../leads/lead'
import { reloadLeads } from './list-leads'

export async function setLeadStatus({ id, form }: Lead, status: LeadStatus): Promise<void> {
  dataOf(await client().from(forms[form].table).update({ status }).eq('id', id))
  await reloadLeads()
}
