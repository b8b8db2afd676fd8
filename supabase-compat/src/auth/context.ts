/** What every auth call shares: the server, the settings, the session, and how a failure becomes a result. */

import { isAuthError } from '../errors.js'
import { type AuthApi, type AuthRequest, send, sessionOf } from './api.js'
import { Sessions } from './sessions.js'
import { defaultStorage, memoryStorage, readJson, verifierKey } from './storage.js'
import type { AuthChangeEvent, AuthOptions, Session, SupportedStorage, User } from './types.js'

export type AuthSettings = AuthOptions & { storageKey: string; hasCustomAuthorizationHeader?: boolean }

export class AuthContext {
  readonly api: AuthApi
  readonly settings: AuthSettings
  readonly storage: SupportedStorage
  readonly sessions: Sessions

  constructor(api: AuthApi, settings: AuthSettings) {
    const { persistSession = true, autoRefreshToken = true, storage, storageKey } = settings
    this.api = api
    this.settings = settings
    this.storage = persistSession ? (storage ?? defaultStorage()) : memoryStorage()
    this.sessions = new Sessions(api, this.storage, storageKey, autoRefreshToken, persistSession)
  }

  /** Throws the result's error instead, if the client was made to. */
  answer<R extends { error: unknown }>(result: R): R {
    if (result.error && this.settings.throwOnError) throw result.error
    return result
  }

  /** Runs a call; an AuthError becomes its result, with `empty` for data. Anything else is a fault and thrown on. */
  async attempt(empty: unknown, run: () => Promise<{ data: any; error: any }>): Promise<any> {
    try {
      return this.answer(await run())
    } catch (error) {
      if (!isAuthError(error)) throw error
      return this.answer({ data: empty, error })
    }
  }

  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, request?: AuthRequest): Promise<any> {
    return send(this.api, method, path, request)
  }

  /** Keeps the session an answer holds, if it holds one, and tells of it. */
  async signIn(body: any, event: AuthChangeEvent = 'SIGNED_IN'): Promise<{ user: User | null; session: Session | null }> {
    const data = sessionOf(body)
    if (data.session) {
      this.sessions.learnClock(data.session.access_token)
      await this.keep(data.session, event)
    }
    return data
  }

  async keep(session: Session, event: AuthChangeEvent): Promise<void> {
    await this.sessions.save(session)
    await this.sessions.notify(event, session)
  }

  /** What a PKCE flow begun in this browser left behind. */
  verifier(): Promise<string | null> {
    return readJson(this.storage, verifierKey(this.settings.storageKey))
  }
}
