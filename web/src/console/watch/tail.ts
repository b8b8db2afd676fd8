/** A channel listened to as the service, by the console's own socket: the wire's own words, no key and no token. */

import { API } from '../lib/api'

export interface Heard {
  at: string
  event: string
  payload: unknown
}

/** The socket's address, of this page's own origin: nothing else has to be reached, whatever stands between. */
export function socketAddress(page: URL): string {
  return `${page.protocol === 'https:' ? 'wss' : 'ws'}://${page.host}${API}realtime/socket`
}

export interface TailOptions {
  address: string
  topic: string
  schema: string
  isPrivate: boolean
  onState: (state: string) => void
  onHeard: (heard: Heard) => void
  onMembers: (members: Members) => void
}

/** Who is present, by key. */
export type Members = Readonly<Record<string, readonly unknown[]>>

const BEAT_MS = 25_000

interface Present {
  metas: { phx_ref?: string }[]
}

/** Members after a message of presence: a whole state, or who came and went. */
export function present(before: Members, event: string, payload: unknown): Members {
  if (event === 'presence_state') return Object.fromEntries(Object.entries(payload as Record<string, Present>).map(([key, { metas }]) => [key, metas]))
  if (event !== 'presence_diff') return before
  const { joins = {}, leaves = {} } = payload as { joins?: Record<string, Present>; leaves?: Record<string, Present> }
  const next: Record<string, readonly unknown[]> = { ...before }
  for (const [key, { metas }] of Object.entries(leaves)) {
    const gone = new Set(metas.map((meta) => meta.phx_ref))
    const left = (next[key] ?? []).filter((meta) => !gone.has((meta as { phx_ref?: string }).phx_ref))
    if (left.length === 0) delete next[key]
    else next[key] = left
  }
  for (const [key, { metas }] of Object.entries(joins)) next[key] = [...(next[key] ?? []), ...metas]
  return next
}

/** Listens until it is stopped; what it gives stops it. */
export function tail({ address, topic, schema, isPrivate, onState, onHeard, onMembers }: TailOptions): () => void {
  const socket = new WebSocket(address)
  const channel = `realtime:${topic}`
  let members: Members = {}
  let ref = 0
  const say = (to: string, event: string, payload: unknown) => {
    ref += 1
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ topic: to, event, payload, ref: String(ref), join_ref: '1' }))
  }
  const beat = setInterval(() => say('phoenix', 'heartbeat', {}), BEAT_MS)
  socket.addEventListener('open', () =>
    say(channel, 'phx_join', {
      config: { broadcast: { self: true, ack: false }, presence: { key: '', enabled: true }, postgres_changes: schema === '' ? [] : [{ event: '*', schema }], private: isPrivate },
    }),
  )
  socket.addEventListener('message', (message) => {
    const heard = JSON.parse(String(message.data)) as { topic: string; event: string; payload: { status?: string } }
    if (heard.topic === 'phoenix') return
    if (heard.event === 'phx_reply' && heard.payload.status) onState(heard.payload.status === 'ok' ? 'listening' : 'refused')
    if (heard.event.startsWith('presence_')) onMembers((members = present(members, heard.event, heard.payload)))
    onHeard({ at: new Date().toISOString(), event: heard.event, payload: heard.payload })
  })
  socket.addEventListener('close', () => {
    clearInterval(beat)
    onState('closed')
  })
  return () => socket.close()
}
