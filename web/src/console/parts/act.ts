import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { toast } from '@/ui/toast-store'

/** Runs one change: busy while it lasts, a message after it, and what it made old is asked for anew. */
export function useAct(...stale: string[]) {
  const queries = useQueryClient()
  const [busy, setBusy] = useState('')
  const keys = stale.join('\n')
  const act = useCallback(
    async (name: string, change: () => Promise<unknown>, done?: string): Promise<boolean> => {
      setBusy(name)
      try {
        await change()
        if (done) toast({ title: done })
        await Promise.all(keys.split('\n').map((key) => queries.invalidateQueries({ queryKey: [key] })))
        return true
      } catch (error) {
        toast({ title: `${name} failed`, description: error instanceof Error ? error.message : String(error), variant: 'destructive' })
        return false
      } finally {
        setBusy('')
      }
    },
    [queries, keys],
  )
  return { act, busy }
}
