/** Users, sessions, and the arguments and results of the auth calls, as the wire and the official client name them. */

import type { AuthError, WeakPasswordReasons } from '../errors.js'

export type RequestResult<T> = { data: T; error: null } | { data: null; error: AuthError }

/** A failure keeps the keys of `data`, all null, so that destructuring them is safe. */
export type RequestResultSafeDestructure<T> =
  | { data: T; error: null }
  | { data: T extends object ? { [K in keyof T]: null } : null; error: AuthError }

export interface UserAppMetadata {
  provider?: string
  providers?: string[]
  [key: string]: any
}

export interface UserMetadata {
  [key: string]: any
}

export interface UserIdentity {
  id: string
  user_id: string
  identity_data?: { [key: string]: any }
  identity_id: string
  provider: string
  created_at?: string
  last_sign_in_at?: string
  updated_at?: string
}

export type FactorType = 'totp' | 'phone' | 'webauthn'
type FactorStatus = 'verified' | 'unverified'

export type Factor<Type extends FactorType = FactorType, Status extends FactorStatus = FactorStatus> = {
  id: string
  friendly_name?: string
  factor_type: Type
  status: Status
  created_at: string
  updated_at: string
  last_challenged_at?: string
}

export interface User {
  id: string
  app_metadata: UserAppMetadata
  user_metadata: UserMetadata
  aud: string
  confirmation_sent_at?: string
  recovery_sent_at?: string
  email_change_sent_at?: string
  new_email?: string
  new_phone?: string
  invited_at?: string
  action_link?: string
  email?: string
  phone?: string
  created_at: string
  confirmed_at?: string
  email_confirmed_at?: string
  phone_confirmed_at?: string
  last_sign_in_at?: string
  role?: string
  updated_at?: string
  identities?: UserIdentity[]
  is_anonymous?: boolean
  is_sso_user?: boolean
  factors?: (Factor<FactorType, 'verified'> | Factor<FactorType, 'unverified'>)[]
  deleted_at?: string
  banned_until?: string
}

export interface Session {
  provider_token?: string | null
  provider_refresh_token?: string | null
  access_token: string
  refresh_token: string
  /** Seconds from when it was issued. */
  expires_in: number
  /** Seconds since 1970, by the server's clock. */
  expires_at?: number
  token_type: 'bearer'
  user: User
}

export type AuthChangeEventMFA = 'MFA_CHALLENGE_VERIFIED'

export type AuthChangeEvent =
  | 'INITIAL_SESSION'
  | 'PASSWORD_RECOVERY'
  | 'SIGNED_IN'
  | 'SIGNED_OUT'
  | 'TOKEN_REFRESHED'
  | 'USER_UPDATED'
  | AuthChangeEventMFA

export type AuthStateCallback = (event: AuthChangeEvent, session: Session | null) => void | Promise<void>

export interface Subscription {
  id: string | symbol
  callback: (event: AuthChangeEvent, session: Session | null) => void
  unsubscribe: () => void
}

type MaybePromise<T> = T | Promise<T>

/** Where a session is kept: the browser's localStorage, or anything with its three methods. */
export type SupportedStorage = {
  getItem(key: string): MaybePromise<string | null>
  setItem(key: string, value: string): MaybePromise<void>
  removeItem(key: string): MaybePromise<void>
  isServer?: boolean
}

export type AuthFlowType = 'implicit' | 'pkce' | (string & {})

/** True or a rule: does this address carry a session, and may it be taken from there? */
export type DetectSessionInUrl = boolean | ((url: URL, params: { [parameter: string]: string }) => boolean)

export type AuthOptions = {
  /** Refresh before expiry, while the page can be seen. Default true. */
  autoRefreshToken?: boolean
  /** Key of the stored session. Default `sb-<first label of the host>-auth-token`. */
  storageKey?: string
  /** Keep the session beyond this page. Default true. */
  persistSession?: boolean
  /** Default true. */
  detectSessionInUrl?: DetectSessionInUrl
  /** Default localStorage, or memory where there is none. */
  storage?: SupportedStorage
  /** Default `implicit`. */
  flowType?: AuthFlowType
  /** Throw errors instead of returning them. Default false. */
  throwOnError?: boolean
  /** Leave reading the stored session to the first call that needs it. Default false. */
  skipAutoInitialize?: boolean
}

export type { WeakPasswordReasons }
export type WeakPassword = { reasons: WeakPasswordReasons[]; message: string }

export type InitializeResult = { error: AuthError | null }

export type AuthResponse = RequestResultSafeDestructure<{ user: User | null; session: Session | null }>
export type AuthOtpResponse = RequestResultSafeDestructure<{ user: null; session: null; messageId?: string | null }>
export type AuthTokenResponse = RequestResultSafeDestructure<{ user: User; session: Session }>
export type AuthTokenResponsePassword = RequestResultSafeDestructure<{
  user: User
  session: Session
  weakPassword?: WeakPassword
}>
export type UserResponse = RequestResultSafeDestructure<{ user: User }>
export type SSOResponse = RequestResult<{ url: string }>
export type OAuthResponse =
  | { data: { provider: Provider; url: string }; error: null }
  | { data: { provider: Provider; url: null }; error: AuthError }

export type SessionResponse =
  | { data: { session: Session }; error: null }
  | { data: { session: null }; error: AuthError }
  | { data: { session: null }; error: null }

export type Provider =
  | 'apple' | 'azure' | 'bitbucket' | 'discord' | 'facebook' | 'figma' | 'fly' | 'github' | 'gitlab' | 'google'
  | 'kakao' | 'keycloak' | 'linkedin' | 'linkedin_oidc' | 'notion' | 'slack' | 'slack_oidc' | 'spotify' | 'twitch'
  | 'twitter' | 'workos' | 'x' | 'zoom' | `custom:${string}`

type Captcha = { captchaToken?: string }
type PasswordBase = { email: string; password: string } | { phone: string; password: string }

export type SignInAnonymouslyCredentials = { options?: { data?: object } & Captcha }

export type SignUpWithPasswordCredentials = PasswordBase & {
  options?: { emailRedirectTo?: string; data?: object; channel?: 'sms' | 'whatsapp' } & Captcha
}

export type SignInWithPasswordCredentials = PasswordBase & { options?: Captcha }

export type SignInWithPasswordlessCredentials =
  | { email: string; options?: { emailRedirectTo?: string; shouldCreateUser?: boolean; data?: object } & Captcha }
  | { phone: string; options?: { shouldCreateUser?: boolean; data?: object; channel?: 'sms' | 'whatsapp' } & Captcha }

export type SignInWithOAuthCredentials = {
  provider: Provider
  options?: {
    redirectTo?: string
    scopes?: string
    queryParams?: { [key: string]: string }
    skipBrowserRedirect?: boolean
  }
}

export type SignInWithIdTokenCredentials = {
  provider: 'google' | 'apple' | 'azure' | 'facebook' | 'kakao' | `custom:${string}` | (string & {})
  token: string
  access_token?: string
  nonce?: string
  options?: Captcha
}

type SsoOptions = { redirectTo?: string; skipBrowserRedirect?: boolean } & Captcha
export type SignInWithSSO = { providerId: string; options?: SsoOptions } | { domain: string; options?: SsoOptions }

export type MobileOtpType = 'sms' | 'phone_change' | (string & {})
export type EmailOtpType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change' | 'email' | (string & {})

type OtpOptions = { redirectTo?: string } & Captcha
export type VerifyMobileOtpParams = { phone: string; token: string; type: MobileOtpType; options?: OtpOptions }
export type VerifyEmailOtpParams = { email: string; token: string; type: EmailOtpType; options?: OtpOptions }
export type VerifyTokenHashParams = { token_hash: string; type: EmailOtpType }
export type VerifyOtpParams = VerifyMobileOtpParams | VerifyEmailOtpParams | VerifyTokenHashParams

export type ResendParams =
  | { type: 'signup' | 'email_change'; email: string; options?: { emailRedirectTo?: string } & Captcha }
  | { type: 'sms' | 'phone_change'; phone: string; options?: Captcha }

export interface UserAttributes {
  current_password?: string
  email?: string
  phone?: string
  password?: string
  /** The code sent by `reauthenticate()`. */
  nonce?: string
  data?: object
}

export interface AdminUserAttributes extends Omit<UserAttributes, 'data'> {
  user_metadata?: object
  app_metadata?: object
  email_confirm?: boolean
  phone_confirm?: boolean
  /** A Go duration such as `24h`, or `none`. */
  ban_duration?: string
  role?: string
  password_hash?: string
  id?: string
}

export type SignOutScope = 'global' | 'local' | 'others'
export type SignOut = { scope?: SignOutScope }

export type AMRMethod = string
export interface AMREntry {
  method: AMRMethod
  timestamp: number
}

export type AuthenticatorAssuranceLevels = 'aal1' | 'aal2' | (string & {})

export type JwtHeader = { alg: 'RS256' | 'ES256' | 'HS256' | (string & {}); kid: string; typ: string }

export interface JwtPayload {
  iss: string
  sub: string
  aud: string | string[]
  exp: number
  iat: number
  role: string
  aal: AuthenticatorAssuranceLevels
  session_id: string
  email?: string
  phone?: string
  is_anonymous?: boolean
  jti?: string
  nbf?: number
  app_metadata?: UserAppMetadata
  user_metadata?: UserMetadata
  amr?: AMREntry[] | string[]
  ref?: string
  [key: string]: any
}

export interface JWK {
  kty: 'RSA' | 'EC' | 'oct' | (string & {})
  key_ops: string[]
  alg?: string
  kid?: string
  [key: string]: any
}

export type ClaimsResponse =
  | { data: { claims: JwtPayload; header: JwtHeader; signature: Uint8Array }; error: null }
  | { data: null; error: AuthError }
  | { data: null; error: null }

export type MFAEnrollTOTPParams = { factorType: 'totp'; friendlyName?: string; issuer?: string }
export type MFAEnrollPhoneParams = { factorType: 'phone'; friendlyName?: string; phone: string }
export type MFAEnrollParams = MFAEnrollTOTPParams | MFAEnrollPhoneParams
export type MFAUnenrollParams = { factorId: string }
export type MFAChallengeParams = { factorId: string; channel?: 'sms' | 'whatsapp' }
export type MFAVerifyParams = { factorId: string; challengeId: string; code: string }
export type MFAChallengeAndVerifyParams = { factorId: string; code: string }

type Enrolled<Type extends FactorType> = { id: string; type: Type; friendly_name?: string }
export type AuthMFAEnrollTOTPResponse = RequestResult<
  Enrolled<'totp'> & { totp: { qr_code: string; secret: string; uri: string } }
>
export type AuthMFAEnrollPhoneResponse = RequestResult<Enrolled<'phone'> & { phone: string }>
export type AuthMFAUnenrollResponse = RequestResult<{ id: string }>
export type AuthMFAChallengeResponse = RequestResult<{ id: string; type: 'totp' | 'phone'; expires_at: number }>
export type AuthMFAVerifyResponse = RequestResult<{
  access_token: string
  token_type: 'bearer'
  expires_in: number
  refresh_token: string
  user: User
}>
export type AuthMFAListFactorsResponse = RequestResult<
  { all: Factor[] } & { [Type in FactorType]: Factor<Type, 'verified'>[] }
>
export type AuthMFAGetAuthenticatorAssuranceLevelResponse = RequestResult<{
  currentLevel: AuthenticatorAssuranceLevels | null
  nextLevel: AuthenticatorAssuranceLevels | null
  currentAuthenticationMethods: AMREntry[] | string[]
}>

/** Second factors of the signed-in user. */
export interface GoTrueMFAApi {
  /** Starts adding a factor; it counts once a challenge of it was verified. */
  enroll(params: MFAEnrollTOTPParams): Promise<AuthMFAEnrollTOTPResponse>
  enroll(params: MFAEnrollPhoneParams): Promise<AuthMFAEnrollPhoneResponse>
  challenge(params: MFAChallengeParams): Promise<AuthMFAChallengeResponse>
  /** Answers a challenge; the session is replaced by one of level `aal2`. */
  verify(params: MFAVerifyParams): Promise<AuthMFAVerifyResponse>
  unenroll(params: MFAUnenrollParams): Promise<AuthMFAUnenrollResponse>
  challengeAndVerify(params: MFAChallengeAndVerifyParams): Promise<AuthMFAVerifyResponse>
  listFactors(): Promise<AuthMFAListFactorsResponse>
  getAuthenticatorAssuranceLevel(jwt?: string): Promise<AuthMFAGetAuthenticatorAssuranceLevelResponse>
}

export type PageParams = { page?: number; perPage?: number }
export type Pagination = { [key: string]: any; nextPage: number | null; lastPage: number; total: number }

type LinkOptions = { data?: object; redirectTo?: string }
export type GenerateLinkParams =
  | { type: 'signup'; email: string; password: string; options?: LinkOptions }
  | { type: 'invite' | 'magiclink'; email: string; options?: LinkOptions }
  | { type: 'recovery'; email: string; options?: Pick<LinkOptions, 'redirectTo'> }
  | {
      type: 'email_change_current' | 'email_change_new'
      email: string
      newEmail: string
      options?: Pick<LinkOptions, 'redirectTo'>
    }
export type GenerateLinkProperties = {
  action_link: string
  email_otp: string
  hashed_token: string
  redirect_to: string
  verification_type: 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change_current' | 'email_change_new'
}
export type GenerateLinkResponse = RequestResultSafeDestructure<{ properties: GenerateLinkProperties; user: User }>

/** Accounts in general; needs a secret key, so it belongs on a server. */
export interface GoTrueAdminApi {
  signOut(jwt: string, scope?: SignOutScope): Promise<{ data: null; error: AuthError | null }>
  inviteUserByEmail(email: string, options?: { data?: object; redirectTo?: string }): Promise<UserResponse>
  generateLink(params: GenerateLinkParams): Promise<GenerateLinkResponse>
  createUser(attributes: AdminUserAttributes): Promise<UserResponse>
  listUsers(
    params?: PageParams,
  ): Promise<
    { data: { users: User[]; aud: string } & Pagination; error: null } | { data: { users: [] }; error: AuthError }
  >
  getUserById(uid: string): Promise<UserResponse>
  updateUserById(uid: string, attributes: AdminUserAttributes): Promise<UserResponse>
  deleteUser(id: string, shouldSoftDelete?: boolean): Promise<UserResponse>
  readonly mfa: {
    listFactors(params: { userId: string }): Promise<RequestResult<{ factors: Factor[] }>>
    deleteFactor(params: { id: string; userId: string }): Promise<RequestResult<{ id: string }>>
  }
}
