import { client } from '@/lib/client'
import { dataOf } from '@/lib/results'
import { type Held, forms } from '../leads/lead'
import { reloadLeads } from './list-leads'

interface Reply {
  ok?: boolean
  error?: string
}

/** The reason in a refused call's answer, which the client leaves to be read; '' without one. */
async function reasonOf(error: { context?: unknown }): Promise<string> {
  try {
    const { error: reason } = (await (error.context as Response).json()) as Reply
    return reason ?? ''
  } catch {
    return ''
  }
}

/**
 * Sends a held submission once more through its form's function, without what the trap caught: it is checked, stored
 * and mailed like any other. The key is made of its id, so that releasing it twice stores it once.
 */
export async function releaseLead({ id, form, payload }: Held, now = new Date()): Promise<void> {
  const { function: name, honeypot } = forms[form].description
  const { data, error } = await client().functions.invoke<Reply>(name, {
    body: { ...payload, [honeypot]: '' },
    headers: { 'idempotency-key': `release-${id}` },
  })
  if (error) throw new Error(await reasonOf(error))
  if (!data?.ok) throw new Error(data?.error || 'Submission failed')
  dataOf(await client().from('quarantine').update({ released_at: now.toISOString() }).eq('id', id))
  await reloadLeads()
}
