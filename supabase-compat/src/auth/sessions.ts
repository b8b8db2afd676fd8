/**
 * The one session of a client: read, written, renewed, and told of to this page and to other tabs.
 *
 * No lock is held between tabs. Storage is the shared truth and is read again at every use; a tab whose renewal
 * was overtaken by another throws its own tokens away and takes the stored ones.
 */

import { AuthRefreshDiscardedError, AuthSessionMissingError, isAuthError, isAuthRetryableFetchError } from '../errors.js'
import { sleep } from '../fetch.js'
import { type AuthApi, send, sessionOf } from './api.js'
import { backOff, clockSkew, COOLDOWN, isDue, isExpired, isExpiring, mayRetry, TICK } from './refresh.js'
import { isBrowser, readJson, verifierKey, writeJson } from './storage.js'
import type { AuthChangeEvent, RequestResult, Session, SessionResponse, Subscription, SupportedStorage } from './types.js'

type News = [AuthChangeEvent, Session | null]

export type RefreshResult = RequestResult<Session>

const isSession = (value: unknown): value is Session =>
  ['access_token', 'refresh_token', 'expires_at'].every((name) => name in Object(value))

/** Lets a Node or Deno process end although the timer is running. */
function unref<T>(timer: T): T {
  ;(timer as any)?.unref?.()
  if (typeof timer === 'number') (globalThis as any).Deno?.unrefTimer?.(timer)
  return timer
}

export class Sessions {
  /** Resolves once the stored session was looked at. */
  ready: Promise<unknown> = Promise.resolve()
  readonly subscribers = new Map<string | symbol, Subscription>()

  readonly #api: AuthApi
  readonly #storage: SupportedStorage
  readonly #key: string
  readonly #autoRefresh: boolean
  #channel: BroadcastChannel | null = null
  #held: News[] | null = null
  #refreshing: Promise<RefreshResult> | null = null
  #refused: { token: string; result: RefreshResult; until: number } | null = null
  // Counts removals, so that a renewal notices one that ran while it was writing.
  #removals = 0
  #skew = 0
  #ticker: ReturnType<typeof setInterval> | undefined
  #firstTick: ReturnType<typeof setTimeout> | undefined
  #onVisibility: (() => void) | null = null

  constructor(api: AuthApi, storage: SupportedStorage, key: string, autoRefresh: boolean, shared: boolean) {
    this.#api = api
    this.#storage = storage
    this.#key = key
    this.#autoRefresh = autoRefresh
    if (shared && key && isBrowser() && globalThis.BroadcastChannel) {
      this.#channel = new BroadcastChannel(key)
      this.#channel.addEventListener('message', ({ data }) => {
        // Another tab got through: what this one was refused no longer matters.
        if (data.event === 'TOKEN_REFRESHED' || data.event === 'SIGNED_IN') this.#refused = null
        this.notify(data.event, data.session, false).catch(() => {})
      })
    }
  }

  /** Begins with news held back: a subscriber may call what waits for `ready`, and must not wait for itself. */
  start<T>(begin: () => Promise<T>): Promise<T> {
    const held: News[] = (this.#held = [])
    const release = () => {
      this.#held = null
      for (const [event, session] of held) this.notify(event, session).catch(() => {})
    }
    const begun = begin()
    this.ready = begun.then(release, release)
    return begun
  }

  /** The time by the server's clock, as far as it is known. */
  now(): number {
    return Date.now() - this.#skew
  }

  read(): Promise<any> {
    return readJson(this.#storage, this.#key)
  }

  /** The stored session; what is stored and none ends the session there was. */
  async #stored(): Promise<Session | null> {
    const value = await this.read()
    if (isSession(value)) return value
    if (value !== null) await this.remove()
    return null
  }

  async save(session: Session): Promise<void> {
    await this.forgetVerifier()
    await writeJson(this.#storage, this.#key, session)
  }

  async remove(): Promise<void> {
    this.#removals++
    this.#refused = null
    await this.#storage.removeItem(this.#key)
    await this.forgetVerifier()
    // Left by the official client when it keeps users apart from tokens.
    await this.#storage.removeItem(`${this.#key}-user`)
    await this.notify('SIGNED_OUT', null)
  }

  async forgetVerifier(): Promise<void> {
    await this.#storage.removeItem(verifierKey(this.#key))
  }

  /** Calls every subscriber and waits for all; the first failure is thrown once they have all run. */
  async notify(event: AuthChangeEvent, session: Session | null, broadcast = true): Promise<void> {
    if (this.#held && broadcast) {
      this.#held.push([event, session])
      return
    }
    if (broadcast) this.#channel?.postMessage({ event, session })
    const calls = [...this.subscribers.values()].map(async ({ callback }) => callback(event, session))
    const failed = (await Promise.allSettled(calls)).filter((call) => call.status === 'rejected')
    for (const { reason } of failed) console.error(reason)
    if (failed[0]) throw failed[0].reason
  }

  /** The stored session, renewed first if it is about to end. */
  async load(): Promise<SessionResponse> {
    const stored = await this.#stored()
    if (!stored) return { data: { session: null }, error: null }
    if (!isExpiring(stored.expires_at, this.now())) return { data: { session: stored }, error: null }

    const { data, error } = await this.refresh(stored.refresh_token)
    if (!error) return { data: { session: data }, error: null }
    // A token that still works is better than none; it may also be one that another tab has just stored.
    const current = await this.read()
    if (isSession(current) && !isExpired(current.expires_at, this.now())) return { data: { session: current }, error: null }
    return { data: { session: null }, error }
  }

  /** Renews once at a time: whoever asks meanwhile gets the same answer. */
  async refresh(token: string): Promise<RefreshResult> {
    if (!token) throw new AuthSessionMissingError()
    if (this.#refreshing) return this.#refreshing
    if (this.#refused?.token === token && Date.now() < this.#refused.until) return this.#refused.result
    this.#refreshing = this.#refresh(token).finally(() => {
      this.#refreshing = null
    })
    const result = await this.#refreshing
    if (!result.error) await this.notify('TOKEN_REFRESHED', result.data)
    return result
  }

  async #refresh(token: string): Promise<RefreshResult> {
    try {
      const before = await this.read()
      const session = await this.#requestTokens(token)
      const after = await this.read()
      if (before !== null && after?.refresh_token !== before.refresh_token) throw new AuthRefreshDiscardedError()
      const removals = this.#removals
      await this.save(session)
      if (removals !== this.#removals) {
        // Signed out while this was being written: undo quietly, that call has told everyone already.
        await this.#storage.removeItem(this.#key)
        throw new AuthRefreshDiscardedError()
      }
      this.#refused = null
      return { data: session, error: null }
    } catch (error) {
      if (!isAuthError(error)) throw error
      const result = { data: null, error }
      if (error instanceof AuthRefreshDiscardedError) return result
      if (!isAuthRetryableFetchError(error)) {
        // A refusal ends the session only once the access token has run out as well.
        const stored = await this.read()
        if (isExpired(stored?.expires_at, this.now())) await this.remove()
      }
      this.#refused = { token, result, until: Date.now() + COOLDOWN }
      return result
    }
  }

  async #requestTokens(token: string): Promise<Session> {
    const startedAt = Date.now()
    for (let failures = 1; ; failures++) {
      try {
        const body = await send(this.#api, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } })
        const { session } = sessionOf(body)
        if (!session) throw new AuthSessionMissingError()
        this.learnClock(session.access_token)
        return session
      } catch (error) {
        if (!isAuthRetryableFetchError(error) || !mayRetry(failures, startedAt, Date.now())) throw error
        await sleep(backOff(failures))
      }
    }
  }

  /** Takes the server's time from a token it issued just now; opaque tokens tell nothing. */
  learnClock(accessToken: string): void {
    try {
      this.#skew = clockSkew(JSON.parse(atob(accessToken.split('.')[1]!)).iat, Date.now())
    } catch {
      this.#skew = 0
    }
  }

  /** What happens at load and whenever the page is seen again: renew, or say that someone is signed in. */
  async recover(): Promise<void> {
    try {
      const stored = await this.#stored()
      if (stored && !isExpiring(stored.expires_at, this.now())) await this.notify('SIGNED_IN', stored)
      else if (stored?.refresh_token && this.#autoRefresh) await this.refresh(stored.refresh_token)
    } catch (error) {
      console.error(error)
    }
  }

  /** Runs the ticker while the page can be seen; outside a browser, always. */
  watchVisibility(): void {
    if (!isBrowser()) {
      if (this.#autoRefresh) this.startTicker()
      return
    }
    const changed = async (returned: boolean) => {
      const visible = document.visibilityState === 'visible'
      if (this.#autoRefresh && visible) this.startTicker()
      else this.stopTicker()
      if (!visible || !returned) return
      await this.ready
      if (document.visibilityState === 'visible') await this.recover()
    }
    this.#onVisibility = () => void changed(true)
    window.addEventListener('visibilitychange', this.#onVisibility)
    void changed(false)
  }

  unwatchVisibility(): void {
    if (this.#onVisibility) window.removeEventListener('visibilitychange', this.#onVisibility)
    this.#onVisibility = null
  }

  startTicker(): void {
    this.stopTicker()
    const tick = () => this.#tick()
    this.#ticker = unref(setInterval(tick, TICK))
    // The first look comes in the next turn, when the stored session has been read.
    this.#firstTick = unref(setTimeout(() => this.ready.then(tick), 0))
  }

  stopTicker(): void {
    clearInterval(this.#ticker)
    clearTimeout(this.#firstTick)
  }

  close(): void {
    this.unwatchVisibility()
    this.stopTicker()
    this.#channel?.close()
    this.#channel = null
    this.subscribers.clear()
  }

  async #tick(): Promise<void> {
    if (this.#refreshing) return
    try {
      const { session } = (await this.load()).data
      if (session?.refresh_token && session.expires_at && isDue(session.expires_at, this.now()))
        await this.refresh(session.refresh_token)
    } catch (error) {
      // Nobody waits for a tick, so this is the only place that can tell.
      console.error(error)
    }
  }
}
