/** In by a password, and out. */

import { AuthInvalidCredentialsError, AuthInvalidTokenResponseError, isAuthApiError, isAuthError, isAuthSessionMissingError } from '../errors.js'
import type { AuthError } from '../errors.js'
import type { AuthContext } from './context.js'
import type { AuthTokenResponsePassword, SignInWithPasswordCredentials, SignOut } from './types.js'

const NOBODY = { user: null, session: null }

export const passwordFlows = (context: AuthContext) => ({
  async signInWithPassword(credentials: SignInWithPasswordCredentials): Promise<AuthTokenResponsePassword> {
    return context.attempt(NOBODY, async () => {
      const { password, options } = credentials
      const name =
        'email' in credentials ? { email: credentials.email } : 'phone' in credentials ? { phone: credentials.phone } : null
      if (!name) throw new AuthInvalidCredentialsError('You must provide either an email or phone number and a password')
      const body = await context.send('POST', '/token?grant_type=password', {
        body: { ...name, password, gotrue_meta_security: { captcha_token: options?.captchaToken } },
      })
      const { user, session } = await context.signIn(body)
      if (!session || !user) throw new AuthInvalidTokenResponseError()
      const weak = body.weak_password
      return { data: { user, session, ...(weak?.reasons?.length && weak.message && { weakPassword: weak }) }, error: null }
    })
  },

  /** Ends the session here and on the server: everywhere (`global`), only here (`local`), or only elsewhere (`others`). */
  async signOut({ scope = 'global' }: SignOut = {}): Promise<{ error: AuthError | null }> {
    await context.sessions.ready
    if (!['global', 'local', 'others'].includes(scope)) throw new Error(`Unsupported sign-out scope "${scope}"`)
    const { data, error } = await context.sessions.load()
    if (error && !isAuthSessionMissingError(error)) return context.answer({ error })
    try {
      if (data.session) await context.send('POST', `/logout?scope=${scope}`, { jwt: data.session.access_token, raw: true })
    } catch (error) {
      // The server no longer knows the user or the token: then there is nothing left to end there.
      const gone = isAuthSessionMissingError(error) || (isAuthApiError(error) && [401, 403, 404].includes(error.status))
      if (!isAuthError(error)) throw error
      if (!gone) return context.answer({ error })
    }
    if (scope !== 'others') await context.sessions.remove()
    return { error: null }
  },
})
