/** A channel listened to as the page's visitor asks: the public socket, a token for minutes, the wire's own words. */

import { api } from '../lib/api'

export interface Heard {
  at: string
  event: string
  payload: unknown
}

/** The socket's address: of this page's own origin where the API is there too. */
export function socketAddress(apiUrl: string, key: string, page: URL): string {
  const at = new URL(apiUrl)
  const base = at.port === page.port ? page : at
  return `${base.protocol === 'https:' ? 'wss' : 'ws'}://${base.host}/realtime/v1/websocket?apikey=${encodeURIComponent(key)}&vsn=1.0.0`
}

export interface TailOptions {
  address: string
  topic: string
  schema: string
  isPrivate: boolean
  onState: (state: string) => void
  onHeard: (heard: Heard) => void
}

const BEAT_MS = 25_000
const RENEW_MS = 200_000

export interface Tail {
  send: (event: string, payload: unknown) => void
  stop: () => void
}

export async function tail({ address, topic, schema, isPrivate, onState, onHeard }: TailOptions): Promise<Tail> {
  const fresh = async () => (await api<{ token: string }>('realtime/token', { method: 'POST', body: {} })).token
  const token = await fresh()
  const socket = new WebSocket(address)
  const channel = `realtime:${topic}`
  let ref = 0
  const say = (to: string, event: string, payload: unknown) => {
    ref += 1
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ topic: to, event, payload, ref: String(ref), join_ref: '1' }))
  }
  const beat = setInterval(() => say('phoenix', 'heartbeat', {}), BEAT_MS)
  const renew = setInterval(() => void fresh().then((next) => say(channel, 'access_token', { access_token: next })), RENEW_MS)
  socket.addEventListener('open', () =>
    say(channel, 'phx_join', {
      access_token: token,
      config: { broadcast: { self: true, ack: false }, presence: { key: '', enabled: true }, postgres_changes: schema === '' ? [] : [{ event: '*', schema }], private: isPrivate },
    }),
  )
  socket.addEventListener('message', (message) => {
    const heard = JSON.parse(String(message.data)) as { topic: string; event: string; payload: { status?: string } }
    if (heard.topic === 'phoenix') return
    if (heard.event === 'phx_reply' && heard.payload.status) onState(heard.payload.status === 'ok' ? 'listening' : 'refused')
    onHeard({ at: new Date().toISOString(), event: heard.event, payload: heard.payload })
  })
  socket.addEventListener('close', () => {
    clearInterval(beat)
    clearInterval(renew)
    onState('closed')
  })
  return {
    send: (event, payload) => say(channel, 'broadcast', { type: 'broadcast', event, payload }),
    stop: () => socket.close(),
  }
}
