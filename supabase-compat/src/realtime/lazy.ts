/** A channel whose code is fetched when it is first used: what is called before is called once it is there. */

import { lazy } from '../lazy.js'
import type { RealtimeChannel } from './types.js'

/**
 * `load` fetches it, and fills an object with its methods. Where it cannot be fetched, as when a page outlives the release
 * it came from, whoever subscribes is told CHANNEL_ERROR, and everything else answers `error`.
 */
export function lazyChannel(load: (known: RealtimeChannel) => Promise<unknown>): RealtimeChannel {
  const known = {} as any
  const failed = load(known).then(
    () => false,
    (cause) => cause,
  )
  const self: RealtimeChannel = lazy<RealtimeChannel>(known, (name, args) => {
    const result = failed.then((cause) => {
      if (!cause) return known[name](...args)
      if (name === 'subscribe') args[0]?.('CHANNEL_ERROR', cause)
      return 'error'
    })
    return name === 'on' || name === 'subscribe' ? self : result
  })
  return self
}
