/** Second factors: enrol, challenge, verify. Contract: auth §14. */

import type { AuthContext } from './context.js'
import type { Flows } from './flows.js'
import { decodeJwt } from './jwt.js'
import type {
  AuthenticatorAssuranceLevels,
  Factor,
  GoTrueMFAApi,
  MFAChallengeAndVerifyParams,
  MFAChallengeParams,
  MFAEnrollParams,
  MFAUnenrollParams,
  MFAVerifyParams,
  User,
} from './types.js'

const isVerified = (factor: Factor) => factor.status === 'verified'

export function mfaApi(context: AuthContext, getUser: Flows['getUser']): GoTrueMFAApi {
  const { sessions } = context

  /** A call in the name of the signed-in user; without one the server says so. */
  const call = (method: 'POST' | 'DELETE', path: string, body?: object): Promise<any> =>
    context.attempt(null, async () => {
      const { data, error } = await sessions.load()
      if (error) throw error
      return { data: await context.send(method, path, { body, jwt: data.session?.access_token }), error: null }
    })

  async function enroll(params: MFAEnrollParams): Promise<any> {
    const { friendlyName, factorType } = params
    const own = factorType === 'phone' ? { phone: params.phone } : factorType === 'totp' ? { issuer: params.issuer } : {}
    const result = await call('POST', '/factors', { friendly_name: friendlyName, factor_type: factorType, ...own })
    const totp = factorType === 'totp' && result.data?.totp
    if (totp?.qr_code) totp.qr_code = `data:image/svg+xml;utf-8,${totp.qr_code}`
    return result
  }

  const challenge = (params: MFAChallengeParams) => call('POST', `/factors/${params.factorId}/challenge`, params)

  async function verify({ factorId, challengeId, code }: MFAVerifyParams): Promise<any> {
    const result = await call('POST', `/factors/${factorId}/verify`, { challenge_id: challengeId, code })
    if (result.error) return result
    const { data } = result
    sessions.learnClock(data.access_token)
    await sessions.save({ expires_at: Math.round(Date.now() / 1000) + data.expires_in, ...data })
    await sessions.notify('MFA_CHALLENGE_VERIFIED', data)
    return result
  }

  async function challengeAndVerify({ factorId, code }: MFAChallengeAndVerifyParams): Promise<any> {
    const { data, error } = await challenge({ factorId })
    return error ? { data: null, error } : verify({ factorId, challengeId: data.id, code })
  }

  async function listFactors(): Promise<any> {
    const { data, error } = await getUser()
    if (error) return { data: null, error }
    const all: Factor[] = data.user.factors ?? []
    const of = (type: string) => all.filter((factor) => isVerified(factor) && factor.factor_type === type)
    return { data: { all, phone: of('phone'), totp: of('totp'), webauthn: of('webauthn') }, error: null }
  }

  async function getAuthenticatorAssuranceLevel(jwt?: string): Promise<any> {
    return context.attempt(null, async () => {
      let user: User | undefined
      let token = jwt
      if (jwt) {
        const { data, error } = await getUser(jwt)
        if (error) throw error
        user = data.user
      } else {
        await sessions.ready
        const { data, error } = await sessions.load()
        if (error) throw error
        user = data.session?.user
        token = data.session?.access_token
      }
      if (!token) return { data: { currentLevel: null, nextLevel: null, currentAuthenticationMethods: [] }, error: null }
      const { aal, amr } = decodeJwt(token).payload
      const currentLevel: AuthenticatorAssuranceLevels | null = aal || null
      const nextLevel = user?.factors?.some(isVerified) ? 'aal2' : currentLevel
      return { data: { currentLevel, nextLevel, currentAuthenticationMethods: amr || [] }, error: null }
    })
  }

  const unenroll = ({ factorId }: MFAUnenrollParams) => call('DELETE', `/factors/${factorId}`)

  return { enroll, challenge, verify, unenroll, challengeAndVerify, listFactors, getAuthenticatorAssuranceLevel }
}
