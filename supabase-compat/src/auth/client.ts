/**
 * Sign-in, the session and the user. Every call answers `{ data, error }`; errors are AuthErrors.
 * Contract: auth §20.
 *
 * What a site needs at every visit is here; the other flows, second factors and account administration are
 * separate modules, fetched when one of their calls is first made.
 */

import { AuthRetryableFetchError, AuthUnknownError, isAuthError } from '../errors.js'
import { AuthContext, type AuthSettings } from './context.js'
import type { AuthApi } from './api.js'
import { lazy } from '../lazy.js'
import type { onDemand } from './on-demand.js'
import { isBrowser } from './storage.js'
import type {
  AuthStateCallback,
  GoTrueAdminApi,
  GoTrueMFAApi,
  InitializeResult,
  SessionResponse,
  Subscription,
} from './types.js'

const NOBODY = { user: null, session: null }

type OnDemand = ReturnType<typeof onDemand>
type Flows = OnDemand['flows']

/** The calls of `flows.ts` and `password.ts`, which every client has without carrying their code. */
const FLOWS = [
  'exchangeCodeForSession',
  'getClaims',
  'getUser',
  'getUserIdentities',
  'linkIdentity',
  'reauthenticate',
  'refreshSession',
  'resend',
  'resetPasswordForEmail',
  'setSession',
  'signInAnonymously',
  'signInWithIdToken',
  'signInWithOAuth',
  'signInWithOtp',
  'signInWithPassword',
  'signInWithSSO',
  'signOut',
  'signUp',
  'unlinkIdentity',
  'updateUser',
  'verifyOtp',
] as const satisfies (keyof Flows)[]


/**
 * Stands in for a part of the module until one of its methods is called; `known` is there at once. A module that
 * cannot be fetched is a call that got no answer.
 */
function later<Part extends keyof OnDemand>(
  context: AuthContext,
  part: Part,
  known: Partial<OnDemand[Part]> = {},
): OnDemand[Part] {
  const call = async (name: string, args: unknown[]) => {
    let loaded: any
    try {
      loaded = (await import('./on-demand.js')).onDemand(context)[part]
    } catch (cause) {
      return context.answer({ data: NOBODY, error: new AuthRetryableFetchError(String(cause), 0) })
    }
    return loaded[name](...args)
  }
  return lazy<OnDemand[Part]>(known, call)
}

export interface AuthClient extends Pick<Flows, (typeof FLOWS)[number]> {}

export class AuthClient {
  /** Second factors of the signed-in user. */
  readonly mfa: GoTrueMFAApi
  /** Accounts in general; needs a secret key. */
  readonly admin: GoTrueAdminApi

  readonly #context: AuthContext
  readonly #flows: Flows
  #initialized: Promise<InitializeResult> | null = null

  constructor(api: AuthApi, settings: AuthSettings) {
    const context = (this.#context = new AuthContext(api, settings))
    const flows = (this.#flows = later(context, 'flows'))
    for (const name of FLOWS) this[name] = flows[name] as any
    this.mfa = later(context, 'mfa')
    this.admin = later(context, 'admin', { mfa: later(context, 'adminMfa') })
    if (!settings.skipAutoInitialize) this.initialize().catch(() => {})
  }

  /** Looks for a session in the address and in storage; done at creation unless told otherwise. */
  initialize(): Promise<InitializeResult> {
    return (this.#initialized ??= this.#context.sessions.start(() => this.#initialize()))
  }

  async #initialize(): Promise<InitializeResult> {
    const { sessions } = this.#context
    try {
      const { detectSessionInUrl: detect = true } = this.#context.settings
      const mayCarry = isBrowser() && (typeof detect === 'function' || /[?#&](access_token|code|error)/.test(location.href))
      const taken = detect && mayCarry && (await this.#flows.takeFromAddress(detect))
      if (taken) return taken
      await sessions.recover()
      return { error: null }
    } catch (cause) {
      const error = isAuthError(cause) ? cause : new AuthUnknownError('Unexpected error during initialization', cause)
      return this.#context.answer({ error })
    } finally {
      sessions.watchVisibility()
    }
  }

  /**
   * The session in storage, renewed first if it ends within 90 s. Its user is what was stored, not what the
   * server says now: for that, use `getUser`.
   */
  async getSession(): Promise<SessionResponse> {
    await this.#context.sessions.ready
    return this.#context.answer(await this.#context.sessions.load())
  }

  /** Calls back at once with the session there is (`INITIAL_SESSION`), then at every change, of other tabs too. */
  onAuthStateChange(callback: AuthStateCallback): { data: { subscription: Subscription } } {
    const { sessions } = this.#context
    const id = Symbol('auth-callback')
    const subscription = { id, callback, unsubscribe: () => void sessions.subscribers.delete(id) }
    sessions.subscribers.set(id, subscription)
    void (async () => {
      await sessions.ready
      const { data, error } = await sessions.load()
      if (error) console.error(error)
      try {
        await sessions.subscribers.get(id)?.callback('INITIAL_SESSION', data.session)
      } catch (error) {
        console.error(error)
      }
    })()
    return { data: { subscription } }
  }

  /** Renews from now on whether or not the page can be seen; for places that are no page. */
  async startAutoRefresh(): Promise<void> {
    this.#context.sessions.unwatchVisibility()
    this.#context.sessions.startTicker()
  }

  async stopAutoRefresh(): Promise<void> {
    this.#context.sessions.unwatchVisibility()
    this.#context.sessions.stopTicker()
  }

  /** Stops timers and listeners; the stored session stays. */
  async dispose(): Promise<void> {
    this.#context.sessions.close()
  }

  isThrowOnErrorEnabled(): boolean {
    return !!this.#context.settings.throwOnError
  }
}
