import { useEffect } from 'react'
import { client } from '@/lib/client'
import { useLatest } from '@/ui/use-latest'

export interface LiveChange {
  table: string
  eventType: 'INSERT' | 'UPDATE' | 'DELETE'
}

/** Changes that come close together are told of at once: each means that a list is read again. */
const TOGETHER = 400

/**
 * Calls back with what was written to these tables since the page is open. Where no socket can be had nothing is told of,
 * and the page is as it would be without.
 */
export function useLive(tables: readonly string[], onChanges: (changes: LiveChange[]) => void): void {
  const latest = useLatest(onChanges)
  const names = tables.join(' ')
  useEffect(() => {
    if (typeof WebSocket === 'undefined') return
    let waiting: LiveChange[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const tell = () => {
      const changes = waiting
      waiting = []
      timer = undefined
      latest.current(changes)
    }
    const channel = client().channel(`admin lists: ${names}`)
    for (const table of names.split(' '))
      channel.on('postgres_changes', { event: '*', schema: 'public', table }, ({ eventType }) => {
        waiting.push({ table, eventType })
        timer ??= setTimeout(tell, TOGETHER)
      })
    channel.subscribe()
    return () => {
      clearTimeout(timer)
      void channel.unsubscribe()
    }
  }, [names, latest])
}
