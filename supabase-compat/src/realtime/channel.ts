/** One channel: joined again whenever its socket or the server lets go of it, until it is left. */

import { type Connection, type Message, delay } from './connection.js'
import { Presence } from './presence.js'
import type { RealtimeChannelOptions, RealtimeSendResult, RealtimeSubscribeStatus } from './types.js'

const TIMEOUT = 10_000

interface Binding {
  type: string
  filter: Record<string, any>
  callback: (message: any) => void
  id?: number
}

interface Reply {
  status: string
  response: any
}

export class Channel {
  readonly topic: string

  readonly #connection: Connection
  readonly #config: RealtimeChannelOptions['config']
  readonly #bindings: Binding[] = []
  readonly #replies = new Map<string, (reply: Reply) => void>()
  readonly #presence = new Presence()
  readonly #name: string
  #status: (status: RealtimeSubscribeStatus, error?: Error) => void = () => {}
  #joinRef = ''
  #token = ''
  #joined = false
  #timeout = TIMEOUT
  #attempts = 0
  #again: ReturnType<typeof setTimeout> | undefined

  constructor(connection: Connection, name: string, config: RealtimeChannelOptions['config']) {
    this.#connection = connection
    this.#name = name
    this.#config = config
    this.topic = `realtime:${name}`
  }

  on(type: string, filter: Record<string, any>, callback: (message: any) => void): this {
    this.#bindings.push({ type, filter, callback })
    return this
  }

  subscribe(callback?: (status: RealtimeSubscribeStatus, error?: Error) => void, timeout = TIMEOUT): this {
    if (this.#connection.channels.has(this)) throw new Error(`tried to subscribe multiple times to ${this.#name}`)
    if (callback) this.#status = callback
    this.#timeout = timeout
    this.#connection.add(this)
    return this
  }

  async unsubscribe(): Promise<RealtimeSendResult> {
    clearTimeout(this.#again)
    const left = this.#joined ? await this.#push('phx_leave', {}) : null
    this.#joined = false
    this.#connection.remove(this)
    this.#status('CLOSED')
    return left === null || left.status === 'ok' ? 'ok' : left.status === 'timeout' ? 'timed out' : 'error'
  }

  async send({ type, event, payload = {}, ...more }: { type: string; event: string; payload?: any }): Promise<RealtimeSendResult> {
    if (!this.#joined) return this.#byHttp(event, payload)
    const message = { type, event, payload, ...more }
    if (this.#config.broadcast?.ack) return outcome(await this.#push('broadcast', message))
    this.#connection.send({ topic: this.topic, event: 'broadcast', payload: message, join_ref: this.#joinRef })
    return 'ok'
  }

  track = async (payload: Record<string, any>) => outcome(await this.#push('presence', { type: 'presence', event: 'track', payload }))
  untrack = async () => outcome(await this.#push('presence', { type: 'presence', event: 'untrack' }))
  presenceState = () => this.#presence.state

  // --- the connection's side --------------------------------------------------------------------------------------

  async join(): Promise<void> {
    clearTimeout(this.#again)
    this.#joined = false
    const { token, key } = this.#connection.settings
    this.#token = (await token()) ?? key
    if (!this.#connection.isOpen || !this.#connection.channels.has(this)) return
    const watches = this.#bindings.some(({ type }) => type === 'presence')
    const changes = this.#bindings.filter(({ type }) => type === 'postgres_changes')
    const config = {
      broadcast: { ack: false, self: false, ...this.#config.broadcast },
      presence: { key: '', ...this.#config.presence, enabled: this.#config.presence?.enabled ?? watches },
      postgres_changes: changes.map(({ filter }) => filter),
      private: this.#config.private ?? false,
    }
    this.#joinRef = this.#connection.ref()
    const { status, response } = await this.#push('phx_join', { config, access_token: this.#token }, this.#joinRef)
    if (status === 'ok') {
      changes.forEach((binding, at) => (binding.id = response.postgres_changes?.[at]?.id))
      this.#joined = true
      this.#attempts = 0
      this.#status('SUBSCRIBED')
    } else if (status !== 'lost') {
      this.#retry(status === 'timeout' ? 'TIMED_OUT' : 'CHANNEL_ERROR', new Error(String(response.reason ?? status)))
    }
  }

  renew(token: string) {
    if (token === this.#token) return
    this.#token = token
    const payload = { access_token: token }
    if (this.#joined) this.#connection.send({ topic: this.topic, event: 'access_token', payload, join_ref: this.#joinRef })
  }

  lost() {
    const waiting = [...this.#replies.values()]
    this.#replies.clear()
    this.#joined = false
    for (const answer of waiting) answer({ status: 'lost', response: {} })
    this.#status('CHANNEL_ERROR', new Error('the connection was lost'))
  }

  heard({ event, payload, ref }: Message) {
    if (event === 'phx_reply') {
      this.#replies.get(ref ?? '')?.(payload)
    } else if (event === 'phx_error' && ref === this.#joinRef) {
      this.#retry('CHANNEL_ERROR', new Error('the channel failed'))
    } else if (event === 'phx_close' && ref === this.#joinRef) {
      this.#joined = false
      this.#connection.remove(this)
      this.#status('CLOSED')
    } else if (event === 'presence_state' || event === 'presence_diff') {
      const changes = event === 'presence_state' ? this.#presence.synced(payload) : this.#presence.changed(payload)
      for (const change of [...changes, { event: 'sync' }]) this.#tell('presence', change, ({ filter }) => filter.event === change.event)
    } else if (event === 'postgres_changes') {
      const { ids, data } = payload
      const { schema, table, commit_timestamp, type, record, old_record, errors } = data
      const change = { schema, table, commit_timestamp, eventType: type, new: record ?? {}, old: old_record ?? {}, errors }
      this.#tell('postgres_changes', change, ({ id, filter }) => ids.includes(id) && (filter.event === '*' || filter.event === type))
    } else if (event === 'broadcast') {
      this.#tell('broadcast', payload, ({ filter }) => filter.event === '*' || filter.event === payload.event)
    } else {
      this.#tell(event, payload, () => true)
    }
  }

  #tell(type: string, message: unknown, wanted: (binding: Binding) => boolean) {
    for (const binding of this.#bindings) if (binding.type === type && wanted(binding)) binding.callback(message)
  }

  #retry(status: RealtimeSubscribeStatus, error: Error) {
    this.#joined = false
    this.#again = setTimeout(() => void this.join(), delay(this.#attempts++))
    this.#status(status, error)
  }

  #push(event: string, payload: unknown, ref = this.#connection.ref()): Promise<Reply> {
    return new Promise((resolve) => {
      const done = (reply: Reply) => {
        clearTimeout(timer)
        this.#replies.delete(ref)
        resolve(reply)
      }
      const timer = setTimeout(() => done({ status: 'timeout', response: {} }), this.#timeout)
      this.#replies.set(ref, done)
      this.#connection.send({ topic: this.topic, event, payload, ref, join_ref: this.#joinRef })
    })
  }

  async #byHttp(event: string, payload: unknown): Promise<RealtimeSendResult> {
    const { url, fetch } = this.#connection.settings
    const messages = [{ topic: this.#name, event, payload, private: this.#config.private ?? false }]
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ messages }) }
    try {
      return (await fetch(`${url}/api/broadcast`, init)).ok ? 'ok' : 'error'
    } catch {
      return 'error'
    }
  }
}

const outcome = ({ status }: Reply): RealtimeSendResult => (status === 'ok' ? 'ok' : status === 'timeout' ? 'timed out' : 'error')
