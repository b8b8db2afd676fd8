/** A channel whose code is fetched when it is first used: what is called before is called once it is there. */

import type { RealtimeChannel } from './types.js'

/** `load` fetches it, and fills an object with its methods. */
export function lazyChannel(load: (known: RealtimeChannel) => Promise<unknown>): RealtimeChannel {
  const known = {} as RealtimeChannel
  const ready = load(known)
  const self = new Proxy(known, {
    // Not for `then`, or awaiting the channel would call it.
    get: (target: any, name) =>
      name in target || name === 'then'
        ? target[name]
        : (...args: unknown[]) => {
            const result = ready.then(() => target[name](...args))
            return name === 'on' || name === 'subscribe' ? self : result
          },
  })
  return self
}
