/**
 * The auth calls that few pages make: other ways in, changes to the account, sessions from an address.
 * Bodies keep the official client's order of fields, so that both send the same bytes.
 */

import {
  AuthInvalidCredentialsError,
  AuthInvalidTokenResponseError,
  AuthSessionMissingError,
  isAuthError,
  isAuthSessionMissingError,
} from '../errors.js'
import { sessionOf } from './api.js'
import { verifiedClaims } from './claims.js'
import type { AuthContext } from './context.js'
import {
  AuthImplicitGrantRedirectError,
  AuthPKCECodeVerifierMissingError,
  AuthPKCEGrantCodeExchangeError,
} from './errors.js'
import { decodeJwt } from './jwt.js'
import { type Challenge, NO_CHALLENGE, startChallenge } from './pkce.js'
import { isBrowser } from './storage.js'
import type {
  AuthOtpResponse,
  AuthResponse,
  AuthTokenResponse,
  ClaimsResponse,
  DetectSessionInUrl,
  InitializeResult,
  JWK,
  OAuthResponse,
  RequestResult,
  ResendParams,
  Session,
  SignInAnonymouslyCredentials,
  SignInWithIdTokenCredentials,
  SignInWithOAuthCredentials,
  SignInWithPasswordlessCredentials,
  SignInWithSSO,
  SignUpWithPasswordCredentials,
  SSOResponse,
  UserAttributes,
  UserIdentity,
  UserResponse,
  VerifyOtpParams,
} from './types.js'

export type Flows = ReturnType<typeof flows>

const NOBODY = { user: null, session: null }

const security = (options?: { captchaToken?: string }) => ({
  gotrue_meta_security: { captcha_token: options?.captchaToken },
})

const userOf = (body: any) => body.user ?? body

/** The answer to a grant must hold a whole session. */
function whole<T extends { user: unknown; session: unknown }>(data: T): T {
  if (!data.session || !data.user) throw new AuthInvalidTokenResponseError()
  return data
}

/** What the address says about a sign-in, in its query and its fragment; the query wins. */
function addressParams(): Record<string, string> {
  const { hash, search } = window.location
  return Object.fromEntries([...new URLSearchParams(hash.slice(1)), ...new URLSearchParams(search)])
}

export function flows(context: AuthContext) {
  const { sessions, settings } = context
  const isPkce = settings.flowType === 'pkce'

  /** As `context.attempt`, for calls that may have left a code verifier behind: a failure forgets it. */
  async function attemptFlow(empty: unknown, run: () => Promise<{ data: any; error: any }>): Promise<any> {
    try {
      const result = await context.attempt(empty, run)
      if (result.error) await sessions.forgetVerifier()
      return result
    } catch (error) {
      await sessions.forgetVerifier()
      throw error
    }
  }

  /** The fields that tie a mailed code to this browser; both null unless the flow is `pkce`. */
  const challenge = async (recovery = false): Promise<Challenge> =>
    isPkce ? startChallenge(context.storage, settings.storageKey, recovery) : NO_CHALLENGE

  /** The session to act with; AuthSessionMissingError without one. */
  async function currentSession(): Promise<Session> {
    const { data, error } = await sessions.load()
    if (error) throw error
    if (!data.session) throw new AuthSessionMissingError()
    return data.session
  }

  async function getUser(jwt?: string): Promise<UserResponse> {
    if (!jwt) await sessions.ready
    return context.attempt({ user: null }, async () => {
      try {
        if (!jwt) {
          const { data, error } = await sessions.load()
          if (error) throw error
          jwt = data.session?.access_token
          if (!jwt && !settings.hasCustomAuthorizationHeader)
            return { data: { user: null }, error: new AuthSessionMissingError() }
        }
        return { data: { user: userOf(await context.send('GET', '/user', { jwt })) }, error: null }
      } catch (error) {
        if (isAuthSessionMissingError(error)) await sessions.remove()
        throw error
      }
    })
  }

  async function refreshSession(given?: { refresh_token: string }): Promise<AuthResponse> {
    await sessions.ready
    return context.attempt(NOBODY, async () => {
      const { refresh_token } = given ?? (await currentSession())
      const { data: session, error } = await sessions.refresh(refresh_token)
      if (error) throw error
      return { data: { user: session.user, session }, error: null }
    })
  }

  async function signUp(credentials: SignUpWithPasswordCredentials): Promise<AuthResponse> {
    return attemptFlow(NOBODY, async () => {
      const { password, options } = credentials
      const data = options?.data ?? {}
      if ('email' in credentials) {
        const { email } = credentials
        const body = { email, password, data, ...security(options), ...(await challenge()) }
        const answer = await context.send('POST', '/signup', { redirectTo: options?.emailRedirectTo, body })
        return { data: await context.signIn(answer), error: null }
      }
      if (!('phone' in credentials))
        throw new AuthInvalidCredentialsError('You must provide either an email or phone number and a password')
      const { phone } = credentials
      const body = { phone, password, data, channel: options?.channel ?? 'sms', ...security(options) }
      return { data: await context.signIn(await context.send('POST', '/signup', { body })), error: null }
    })
  }

  async function signInAnonymously(credentials?: SignInAnonymouslyCredentials): Promise<AuthResponse> {
    return context.attempt(NOBODY, async () => {
      const body = { data: credentials?.options?.data ?? {}, ...security(credentials?.options) }
      return { data: await context.signIn(await context.send('POST', '/signup', { body })), error: null }
    })
  }

  async function signInWithOtp(credentials: SignInWithPasswordlessCredentials): Promise<AuthOtpResponse> {
    return attemptFlow(NOBODY, async () => {
      if ('email' in credentials) {
        const { email, options } = credentials
        const body = {
          email,
          data: options?.data ?? {},
          create_user: options?.shouldCreateUser ?? true,
          ...security(options),
          ...(await challenge()),
        }
        await context.send('POST', '/otp', { body, redirectTo: options?.emailRedirectTo })
        return { data: NOBODY, error: null }
      }
      if (!('phone' in credentials))
        throw new AuthInvalidCredentialsError('You must provide either an email or phone number.')
      const { phone, options } = credentials
      const body = {
        phone,
        data: options?.data ?? {},
        create_user: options?.shouldCreateUser ?? true,
        ...security(options),
        channel: options?.channel ?? 'sms',
      }
      const answer = await context.send('POST', '/otp', { body })
      return { data: { ...NOBODY, messageId: answer.message_id }, error: null }
    })
  }

  async function verifyOtp(params: VerifyOtpParams): Promise<AuthResponse> {
    return context.attempt(NOBODY, async () => {
      const options = 'options' in params ? params.options : undefined
      const body = { ...params, ...security(options) }
      const answer = await context.send('POST', '/verify', { body, redirectTo: options?.redirectTo })
      const event = params.type === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN'
      return { data: await context.signIn(answer, event), error: null }
    })
  }

  async function resend(credentials: ResendParams): Promise<AuthOtpResponse> {
    return attemptFlow(NOBODY, async () => {
      if ('email' in credentials) {
        const { email, type, options } = credentials
        const body = { email, type, ...security(options), ...(await challenge()) }
        await context.send('POST', '/resend', { body, redirectTo: options?.emailRedirectTo })
        return { data: NOBODY, error: null }
      }
      if (!('phone' in credentials))
        throw new AuthInvalidCredentialsError('You must provide either an email or phone number and a type')
      const { phone, type, options } = credentials
      const answer = await context.send('POST', '/resend', { body: { phone, type, ...security(options) } })
      return { data: { ...NOBODY, messageId: answer.message_id }, error: null }
    })
  }

  async function reauthenticate(): Promise<AuthResponse> {
    await sessions.ready
    return context.attempt(NOBODY, async () => {
      const { access_token } = await currentSession()
      await context.send('GET', '/reauthenticate', { jwt: access_token })
      return { data: NOBODY, error: null }
    })
  }

  async function resetPasswordForEmail(
    email: string,
    options: { redirectTo?: string; captchaToken?: string } = {},
  ): Promise<RequestResult<{}>> {
    return attemptFlow(null, async () => {
      const body = { email, ...(await challenge(true)), ...security(options) }
      return { data: await context.send('POST', '/recover', { body, redirectTo: options.redirectTo }), error: null }
    })
  }

  async function updateUser(
    attributes: UserAttributes,
    options: { emailRedirectTo?: string | undefined } = {},
  ): Promise<UserResponse> {
    await sessions.ready
    return attemptFlow({ user: null }, async () => {
      const session = await currentSession()
      const proof = attributes.email == null ? NO_CHALLENGE : await challenge()
      const answer = await context.send('PUT', '/user', {
        redirectTo: options.emailRedirectTo,
        body: { ...attributes, ...proof },
        jwt: session.access_token,
      })
      const user = userOf(answer)
      await context.keep({ ...session, user }, 'USER_UPDATED')
      return { data: { user }, error: null }
    })
  }

  async function setSession({ access_token, refresh_token }: Pick<Session, 'access_token' | 'refresh_token'>): Promise<AuthResponse> {
    await sessions.ready
    return context.attempt(NOBODY, async () => {
      if (!access_token || !refresh_token) throw new AuthSessionMissingError()
      const now = sessions.now() / 1000
      const expires_at = decodeJwt(access_token).payload.exp || now
      if (expires_at <= now) {
        const { data: session, error } = await sessions.refresh(refresh_token)
        if (error) throw error
        return { data: { user: session.user, session }, error: null }
      }
      const { data, error } = await getUser(access_token)
      if (error) throw error
      const { user } = data
      const session: Session = { access_token, refresh_token, user, token_type: 'bearer', expires_in: expires_at - now, expires_at }
      await context.keep(session, 'SIGNED_IN')
      return { data: { user, session }, error: null }
    })
  }

  async function signInWithIdToken(credentials: SignInWithIdTokenCredentials): Promise<AuthTokenResponse> {
    return context.attempt(NOBODY, async () => {
      const { options, provider, token, access_token, nonce } = credentials
      const body = { provider, id_token: token, access_token, nonce, ...security(options) }
      const answer = await context.send('POST', '/token?grant_type=id_token', { body })
      return { data: whole(await context.signIn(answer)), error: null }
    })
  }

  async function signInWithSSO(params: SignInWithSSO): Promise<SSOResponse> {
    return attemptFlow(null, async () => {
      const { options } = params
      const data = await context.send('POST', '/sso', {
        body: {
          ...('providerId' in params && { provider_id: params.providerId }),
          ...('domain' in params && { domain: params.domain }),
          redirect_to: options?.redirectTo,
          ...(options?.captchaToken && security(options)),
          // A redirect would be followed by fetch, out of sight.
          skip_http_redirect: true,
          ...(await challenge()),
        },
      })
      if (data.url && isBrowser() && !options?.skipBrowserRedirect) window.location.assign(data.url)
      return { data, error: null }
    })
  }

  /** Where a provider's sign-in begins. The order of parameters is the official client's. */
  async function providerUrl(path: string, { provider, options }: SignInWithOAuthCredentials, skipRedirect?: boolean): Promise<string> {
    const params = [`provider=${encodeURIComponent(provider)}`]
    if (options?.redirectTo) params.push(`redirect_to=${encodeURIComponent(options.redirectTo)}`)
    if (options?.scopes) params.push(`scopes=${encodeURIComponent(options.scopes)}`)
    if (isPkce) {
      const { code_challenge, code_challenge_method } = await challenge()
      params.push(`code_challenge=${code_challenge}&code_challenge_method=${code_challenge_method}`)
    }
    if (options?.queryParams) params.push(new URLSearchParams(options.queryParams).toString())
    if (skipRedirect) params.push('skip_http_redirect=true')
    return `${path}?${params.join('&')}`
  }

  async function signInWithOAuth(credentials: SignInWithOAuthCredentials): Promise<OAuthResponse> {
    const url = context.api.url + (await providerUrl('/authorize', credentials))
    if (isBrowser() && !credentials.options?.skipBrowserRedirect) window.location.assign(url)
    return { data: { provider: credentials.provider, url }, error: null }
  }

  async function linkIdentity(credentials: SignInWithOAuthCredentials): Promise<OAuthResponse>
  async function linkIdentity(credentials: SignInWithIdTokenCredentials): Promise<AuthTokenResponse>
  async function linkIdentity(credentials: SignInWithOAuthCredentials | SignInWithIdTokenCredentials): Promise<any> {
    if ('token' in credentials)
      return attemptFlow(NOBODY, async () => {
        const { data: loaded, error } = await sessions.load()
        if (error) throw error
        const { options, provider, token, access_token, nonce } = credentials
        const body = { provider, id_token: token, access_token, nonce, link_identity: true, ...security(options) }
        const answer = await context.send('POST', '/token?grant_type=id_token', { body, jwt: loaded.session?.access_token })
        const data = whole(sessionOf(answer))
        await context.keep(data.session!, 'USER_UPDATED')
        return { data, error: null }
      })
    const { provider, options } = credentials
    return context.attempt({ provider, url: null }, async () => {
      const { data, error } = await sessions.load()
      if (error) throw error
      const path = await providerUrl('/user/identities/authorize', credentials, true)
      const { url } = await context.send('GET', path, { jwt: data.session?.access_token })
      if (isBrowser() && !options?.skipBrowserRedirect) window.location.assign(url)
      return { data: { provider, url }, error: null }
    })
  }

  async function unlinkIdentity(identity: UserIdentity): Promise<RequestResult<{}>> {
    return context.attempt(null, async () => {
      const { data, error } = await sessions.load()
      if (error) throw error
      const path = `/user/identities/${identity.identity_id}`
      return { data: await context.send('DELETE', path, { jwt: data.session?.access_token }), error: null }
    })
  }

  async function getUserIdentities(): Promise<RequestResult<{ identities: UserIdentity[] }>> {
    return context.attempt(null, async () => {
      const { data, error } = await getUser()
      if (error) throw error
      return { data: { identities: data.user.identities ?? [] }, error: null }
    })
  }

  async function exchange(authCode: string): Promise<{ data: any; error: null }> {
    const [codeVerifier, redirectType] = ((await context.verifier()) ?? '').split('/')
    if (!codeVerifier && isPkce) throw new AuthPKCECodeVerifierMissingError()
    const body = { auth_code: authCode, code_verifier: codeVerifier }
    const data = whole(sessionOf(await context.send('POST', '/token?grant_type=pkce', { body })))
    await context.signIn(data.session, redirectType === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN')
    return { data: { ...data, redirectType: redirectType ?? null }, error: null }
  }

  async function exchangeCodeForSession(authCode: string): Promise<AuthTokenResponse> {
    await sessions.ready
    return attemptFlow({ ...NOBODY, redirectType: null }, () => exchange(authCode))
  }

  async function getClaims(
    jwt?: string,
    options: { keys?: JWK[]; allowExpired?: boolean; jwks?: { keys: JWK[] } } = {},
  ): Promise<ClaimsResponse> {
    return context.attempt(null, async () => {
      if (!jwt) {
        await sessions.ready
        const { data, error } = await sessions.load()
        if (!data.session) return { data: null, error }
        jwt = data.session.access_token
      }
      return { data: await verifiedClaims(jwt, options, context, getUser), error: null }
    })
  }

  /** The tokens of an implicit redirect, from the fragment; the user is asked for, so they are proven to work. */
  async function implicitSession(params: Record<string, string>): Promise<Session> {
    const { provider_token, provider_refresh_token, access_token, refresh_token, token_type } = params
    const expiresIn = parseInt(params.expires_in ?? '')
    if (!access_token || !params.expires_in || !refresh_token || !token_type)
      throw new AuthImplicitGrantRedirectError('No session defined in URL')
    const { data, error } = await getUser(access_token)
    if (error) throw error
    return {
      ...(provider_token !== undefined && { provider_token }),
      ...(provider_refresh_token !== undefined && { provider_refresh_token }),
      access_token,
      expires_in: expiresIn,
      expires_at: params.expires_at ? parseInt(params.expires_at) : Math.round(Date.now() / 1000) + expiresIn,
      refresh_token,
      token_type: token_type as 'bearer',
      user: data.user,
    }
  }

  /**
   * Takes the session that a redirect left in the address, and cleans the address of it. Null when there is none; a
   * failure leaves an existing session alone. Runs while the client initialises.
   */
  async function takeFromAddress(detect: DetectSessionInUrl): Promise<InitializeResult | null> {
    const params = addressParams()
    const isImplicit =
      typeof detect === 'function'
        ? detect(new URL(window.location.href), params)
        : params.access_token || params.error || params.error_description || params.error_code
    const isCode = !isImplicit && params.code && (await context.verifier())
    if (!isImplicit && !isCode) return null
    try {
      if (params.error || params.error_description || params.error_code)
        throw new AuthImplicitGrantRedirectError(
          params.error_description || 'Error in URL with unspecified error_description',
          { error: params.error || 'unspecified_error', code: params.error_code || 'unspecified_code' },
        )
      if (!isCode && isPkce) throw new AuthPKCEGrantCodeExchangeError('Not a valid PKCE flow url.')
      if (isCode && !isPkce)
        throw new AuthImplicitGrantRedirectError('Not a valid implicit grant flow url.')
      if (isCode) {
        await exchange(params.code!)
        const url = new URL(window.location.href)
        url.searchParams.delete('code')
        window.history.replaceState(window.history.state, '', url.toString())
        return { error: null }
      }
      const session = await implicitSession(params)
      window.location.hash = ''
      await context.keep(session, params.type === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN')
      return { error: null }
    } catch (error) {
      if (isCode) await sessions.forgetVerifier()
      if (!isAuthError(error)) throw error
      return { error }
    }
  }

  return {
    exchangeCodeForSession,
    getClaims,
    getUser,
    getUserIdentities,
    linkIdentity,
    reauthenticate,
    refreshSession,
    resend,
    resetPasswordForEmail,
    setSession,
    signInAnonymously,
    signInWithIdToken,
    signInWithOAuth,
    signInWithOtp,
    signInWithSSO,
    signUp,
    takeFromAddress,
    unlinkIdentity,
    updateUser,
    verifyOtp,
  }
}
