import { vi } from 'vitest'

interface Push {
  topic: string
  event: string
  payload: { config: { postgres_changes: { table: string }[] } }
  ref: string
}

/** The realtime API's side of a socket: joins are answered, and `tell` sends a change of a table. */
export function fakeSocket() {
  const sockets: FakeSocket[] = []
  class FakeSocket extends EventTarget {
    readyState = 1
    joined: Push | undefined
    constructor() {
      super()
      sockets.push(this)
      queueMicrotask(() => this.dispatchEvent(new Event('open')))
    }
    send(text: string) {
      const push = JSON.parse(text) as Push
      if (push.event === 'phx_join') {
        this.joined = push
        const bindings = push.payload.config.postgres_changes.map((binding: object, at: number) => ({ ...binding, id: at + 1 }))
        this.answer(push, { postgres_changes: bindings })
      } else if (push.event === 'phx_leave') this.answer(push, {})
    }
    close() {
      this.readyState = 3
    }
    answer({ topic, ref }: Push, response: object) {
      this.say({ topic, event: 'phx_reply', payload: { status: 'ok', response }, ref })
    }
    say(message: object) {
      this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
    }
  }
  vi.stubGlobal('WebSocket', FakeSocket)
  return {
    /** Whether a channel is joined. */
    joined: () => sockets.some((socket) => socket.joined !== undefined),
    tell(table: string, type: string) {
      for (const socket of sockets) {
        if (!socket.joined || socket.readyState !== 1) continue
        const bindings = socket.joined.payload.config.postgres_changes
        const ids = bindings.flatMap((binding, at) => (binding.table === table ? [at + 1] : []))
        const data = { schema: 'public', table, type, commit_timestamp: '2026-01-01T00:00:00Z', record: {}, errors: null }
        if (ids.length > 0) socket.say({ topic: socket.joined.topic, event: 'postgres_changes', payload: { ids, data }, ref: null })
      }
    },
  }
}
