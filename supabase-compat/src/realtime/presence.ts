/** Who is on a channel, kept by what the server says: the whole once, changes from then on. */

import type { PresenceEntry, RealtimePresenceState } from './types.js'

type Metas = Record<string, { metas: ({ phx_ref: string; phx_ref_prev?: string } & Record<string, any>)[] }>

export interface PresenceChange {
  event: string
  key?: string
  currentPresences?: PresenceEntry[]
  newPresences?: PresenceEntry[]
  leftPresences?: PresenceEntry[]
}

const entries = (metas: Metas[string]['metas']): PresenceEntry[] =>
  metas.map(({ phx_ref, phx_ref_prev: _before, ...more }) => ({ presence_ref: phx_ref, ...more }))

export class Presence {
  state: RealtimePresenceState = {}

  /** The whole: who is new, and who is gone. */
  synced(whole: Metas): PresenceChange[] {
    const refs = new Set(Object.values(whole).flatMap(({ metas }) => metas.map(({ phx_ref }) => phx_ref)))
    const known = new Set(Object.values(this.state).flatMap((list) => list.map(({ presence_ref }) => presence_ref)))
    const leaves: Metas = {}
    for (const [key, list] of Object.entries(this.state)) {
      const gone = list.filter(({ presence_ref }) => !refs.has(presence_ref))
      if (gone.length > 0) leaves[key] = { metas: gone.map(({ presence_ref, ...more }) => ({ phx_ref: presence_ref, ...more })) }
    }
    const joins: Metas = {}
    for (const [key, { metas }] of Object.entries(whole)) {
      const fresh = metas.filter(({ phx_ref }) => !known.has(phx_ref))
      if (fresh.length > 0) joins[key] = { metas: fresh }
    }
    return this.changed({ joins, leaves })
  }

  /** A change. */
  changed({ joins, leaves }: { joins: Metas; leaves: Metas }): PresenceChange[] {
    const changes: PresenceChange[] = []
    for (const [key, { metas }] of Object.entries(joins)) {
      const currentPresences = this.state[key] ?? []
      const newPresences = entries(metas)
      this.state[key] = [...currentPresences, ...newPresences]
      changes.push({ event: 'join', key, currentPresences, newPresences })
    }
    for (const [key, { metas }] of Object.entries(leaves)) {
      const gone = new Set(metas.map(({ phx_ref }) => phx_ref))
      const currentPresences = (this.state[key] ?? []).filter(({ presence_ref }) => !gone.has(presence_ref))
      if (currentPresences.length > 0) this.state[key] = currentPresences
      else delete this.state[key]
      changes.push({ event: 'leave', key, currentPresences, leftPresences: entries(metas) })
    }
    return changes
  }
}
