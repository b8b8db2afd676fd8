import { toCsv } from '../leads/csv'
import { type Lead, forms } from '../leads/lead'
import type { LeadListState } from '../leads/lead-list-state'
import { readLeads } from './list-leads'

const CHUNK = 500

/** Columns that every kind of lead has; a single form is exported with all of its own. */
const SUMMARY = ['received', 'form', 'status', 'name', 'email', 'phone', 'about'] as const

const summary = ({ createdAt, form, status, name, email, phone, about }: Lead) => ({ received: createdAt, form: forms[form].label, status, name, email, phone, about })

/** All leads of a state as a table for spreadsheets. */
export async function exportLeads(state: LeadListState): Promise<{ csv: string; rows: number }> {
  const leads: Lead[] = []
  let next: string | null = null
  do {
    const page: Awaited<ReturnType<typeof readLeads>> = await readLeads(state, next, CHUNK)
    leads.push(...page.leads)
    next = page.next
  } while (next !== null)
  if (state.form === 'all') return { csv: toCsv(SUMMARY, leads.map(summary)), rows: leads.length }
  const columns = [...new Set(leads.flatMap(({ row }) => Object.keys(row)))].filter((column) => column !== 'idempotency_key')
  return { csv: toCsv(columns, leads.map(({ row }) => row)), rows: leads.length }
}
