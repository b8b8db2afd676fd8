/** What `client.channel()` has, in the names and shapes of the official client. */

export interface RealtimeChannelOptions {
  config: {
    broadcast?: { self?: boolean; ack?: boolean; replay?: { since: number; limit?: number } }
    presence?: { key?: string; enabled?: boolean }
    private?: boolean
  }
}

export type RealtimeSubscribeStatus = 'SUBSCRIBED' | 'TIMED_OUT' | 'CLOSED' | 'CHANNEL_ERROR'
export type RealtimeSendResult = 'ok' | 'timed out' | 'error'

export interface RealtimePostgresChangesFilter<Event extends string = '*' | 'INSERT' | 'UPDATE' | 'DELETE'> {
  event: Event
  schema: string
  table?: string
  filter?: string
}

export interface RealtimePostgresChangesPayload<Row extends Record<string, any> = Record<string, any>> {
  schema: string
  table: string
  commit_timestamp: string
  eventType: 'INSERT' | 'UPDATE' | 'DELETE'
  new: Row | Record<string, never>
  old: Partial<Row> | Record<string, never>
  errors: string[] | null
}

export interface RealtimeBroadcast {
  type: 'broadcast'
  event: string
  payload: any
  meta?: { id: string; replayed?: boolean }
}

export type PresenceEntry = { presence_ref: string } & Record<string, any>
export type RealtimePresenceState = Record<string, PresenceEntry[]>

/** Calls before the code of channels has come are done once it has, in their order. */
export interface RealtimeChannel {
  on(type: 'broadcast', filter: { event: string }, callback: (message: RealtimeBroadcast) => void): this
  on(type: 'presence', filter: { event: 'sync' }, callback: () => void): this
  on(
    type: 'presence',
    filter: { event: 'join' },
    callback: (change: { event: 'join'; key: string; currentPresences: PresenceEntry[]; newPresences: PresenceEntry[] }) => void,
  ): this
  on(
    type: 'presence',
    filter: { event: 'leave' },
    callback: (change: { event: 'leave'; key: string; currentPresences: PresenceEntry[]; leftPresences: PresenceEntry[] }) => void,
  ): this
  on<Row extends Record<string, any> = Record<string, any>>(
    type: 'postgres_changes',
    filter: RealtimePostgresChangesFilter,
    callback: (change: RealtimePostgresChangesPayload<Row>) => void,
  ): this
  on(type: 'system', filter: Record<string, never>, callback: (message: any) => void): this
  subscribe(callback?: (status: RealtimeSubscribeStatus, error?: Error) => void, timeout?: number): this
  unsubscribe(): Promise<RealtimeSendResult>
  send(message: { type: 'broadcast'; event: string; payload?: any; [key: string]: any }): Promise<RealtimeSendResult>
  track(payload: Record<string, any>): Promise<RealtimeSendResult>
  untrack(): Promise<RealtimeSendResult>
  presenceState(): RealtimePresenceState
}
