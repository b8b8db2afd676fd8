/** Channels: fetched with the first one. Contract: docs/contract/realtime.md of the gateway, serialisation 1.0.0. */

import type { AuthClient } from '../auth/client.js'
import { Channel } from './channel.js'
import { Connection } from './connection.js'
import type { RealtimeChannel, RealtimeChannelOptions } from './types.js'

export interface RealtimeSettings {
  /** Address of the realtime API, by http. */
  url: string
  key: string
  token: () => Promise<string | null>
  fetch: (input: string, init?: RequestInit) => Promise<Response>
}

/** `auth` tells when the token changes: channels that are joined go on with the new one. */
export function realtime(
  base: URL,
  key: string,
  token: RealtimeSettings['token'],
  fetch: RealtimeSettings['fetch'],
  auth: AuthClient | false,
) {
  const connection = new Connection({ url: new URL('realtime/v1', base).href, key, token, fetch })
  if (auth) auth.onAuthStateChange(() => void connection.renew())
  /** Gives an object the methods of a channel. */
  return (known: RealtimeChannel, name: string, options?: RealtimeChannelOptions): void => {
    const made = new Channel(connection, name, options?.config ?? {})
    Object.assign(known, {
      on: (...args: Parameters<Channel['on']>) => (made.on(...args), known),
      subscribe: (...args: Parameters<Channel['subscribe']>) => (made.subscribe(...args), known),
      unsubscribe: () => made.unsubscribe(),
      send: (...args: Parameters<Channel['send']>) => made.send(...args),
      track: made.track,
      untrack: made.untrack,
      presenceState: made.presenceState,
    })
  }
}

export type Realtime = ReturnType<typeof realtime>
