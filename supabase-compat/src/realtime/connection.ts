/** The socket that all channels of a client share: opened with the first, closed behind the last, opened again when lost. */

import type { Channel } from './channel.js'
import type { RealtimeSettings } from './on-demand.js'

const HEARTBEAT = 25_000
const AGAIN = [1000, 2000, 5000, 10_000]

export const delay = (attempt: number) => AGAIN[Math.min(attempt, AGAIN.length - 1)] as number

export interface Message {
  topic: string
  event: string
  payload: any
  ref: string | null
}

export class Connection {
  readonly settings: RealtimeSettings
  readonly channels = new Set<Channel>()

  #socket: WebSocket | null = null
  #beat: ReturnType<typeof setInterval> | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #attempts = 0
  #refs = 0
  #unanswered: string | null = null

  constructor(settings: RealtimeSettings) {
    this.settings = settings
  }

  get isOpen() {
    return this.#socket?.readyState === 1
  }

  ref = () => `${++this.#refs}`

  add(channel: Channel) {
    this.channels.add(channel)
    if (this.isOpen) void channel.join()
    else this.#open()
  }

  remove(channel: Channel) {
    this.channels.delete(channel)
    if (this.channels.size === 0) this.#close()
  }

  send(message: { topic: string; event: string; payload: unknown; ref?: string; join_ref?: string }): string {
    const ref = message.ref ?? this.ref()
    if (this.isOpen) this.#socket!.send(JSON.stringify({ ...message, ref }))
    return ref
  }

  async renew() {
    const token = (await this.settings.token()) ?? this.settings.key
    for (const channel of this.channels) channel.renew(token)
  }

  #open() {
    if (this.#socket || this.#again) return
    const { url, key } = this.settings
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/websocket?apikey=${encodeURIComponent(key)}&vsn=1.0.0`)
    this.#socket = socket
    socket.addEventListener('open', () => {
      this.#attempts = 0
      this.#unanswered = null
      this.#beat = setInterval(() => this.#heartbeat(), HEARTBEAT)
      for (const channel of this.channels) void channel.join()
    })
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') return
      const message = JSON.parse(data) as Message
      if (message.ref !== null && message.ref === this.#unanswered) this.#unanswered = null
      for (const channel of this.channels) if (channel.topic === message.topic) channel.heard(message)
    })
    socket.addEventListener('close', () => this.#lost(socket))
  }

  #lost(socket: WebSocket) {
    if (this.#socket !== socket) return
    this.#socket = null
    clearInterval(this.#beat)
    if (this.channels.size === 0) return
    this.#again = setTimeout(() => {
      this.#again = undefined
      this.#open()
    }, delay(this.#attempts++))
    for (const channel of this.channels) channel.lost()
  }

  #heartbeat() {
    if (this.#unanswered) {
      const socket = this.#socket
      socket?.close(1000, 'heartbeat timeout')
      if (socket) this.#lost(socket) // a dead line never says that it is closed
      return
    }
    this.#unanswered = this.send({ topic: 'phoenix', event: 'heartbeat', payload: {} })
  }

  #close() {
    clearTimeout(this.#again)
    this.#again = undefined
    clearInterval(this.#beat)
    const socket = this.#socket
    this.#socket = null
    socket?.close(1000)
  }
}
