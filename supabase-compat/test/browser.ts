/** A browser that is only what the clients look at: an address, a store, visibility and channels between tabs. */

import { vi } from 'vitest'
import { visibleStorage } from './harness.js'

export type Message = { channel: string; data: any }

export function fakeBrowser(href = 'https://site.test/') {
  const events = new EventTarget()
  const storage = visibleStorage()
  const messages: Message[] = []
  const channels = new Set<FakeChannel>()
  const location = {
    url: new URL(href),
    assigned: [] as string[],
    get href() {
      return this.url.href
    },
    get search() {
      return this.url.search
    },
    get hash() {
      return this.url.hash
    },
    set hash(value: string) {
      this.url.hash = value
    },
    assign(to: string) {
      this.assigned.push(to)
    },
  }
  const document = { visibilityState: 'visible' }
  const history = {
    state: { page: 1 },
    replaceState: (_state: unknown, _title: string, to: string) => {
      location.url = new URL(to, location.url)
    },
  }

  class FakeChannel extends EventTarget {
    readonly name: string

    constructor(name: string) {
      super()
      this.name = name
      channels.add(this)
    }

    postMessage(data: unknown): void {
      messages.push({ channel: this.name, data })
      for (const other of channels)
        if (other !== this && other.name === this.name) other.dispatchEvent(new MessageEvent('message', { data }))
    }

    close(): void {
      channels.delete(this)
    }
  }

  const window = {
    location,
    history,
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
  }
  const globals = { window, document, location, history, localStorage: storage, BroadcastChannel: FakeChannel }
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)

  return {
    location,
    storage,
    messages,
    channels,
    show(visible: boolean): void {
      document.visibilityState = visible ? 'visible' : 'hidden'
      events.dispatchEvent(new Event('visibilitychange'))
    },
  }
}
