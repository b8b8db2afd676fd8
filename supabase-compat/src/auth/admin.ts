/** Administration of accounts, with the secret key. Contract: auth §12. */

import { isAuthError } from '../errors.js'
import { type AuthApi, type AuthRequest, send } from './api.js'
import type { AdminUserAttributes, GenerateLinkParams, GoTrueAdminApi, PageParams, Pagination, SignOutScope } from './types.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Ids go into the path: nothing but a UUID may. */
function checked(id: string): string {
  if (!UUID.test(id)) throw new Error('Expected parameter to be UUID but is not')
  return id
}

/** Pages and total, from the headers `Link` and `X-Total-Count`. */
function paginationOf(headers: Headers): Pagination {
  const pagination: Pagination = { nextPage: null, lastPage: 0, total: 0 }
  const links = headers.get('link')
  if (!links) return pagination
  for (const [, page, rel] of links.matchAll(/[?&]page=(\d+)[^>]*>;\s*rel="(\w+)"/g)) pagination[`${rel}Page`] = Number(page)
  pagination.total = Number(headers.get('x-total-count') ?? 0)
  return pagination
}

export function adminApi(api: AuthApi): GoTrueAdminApi {
  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    request: AuthRequest,
    read: (answer: any) => unknown,
    empty: unknown,
  ): Promise<any> {
    try {
      return { data: await read(await send(api, method, path, request)), error: null }
    } catch (error) {
      if (!isAuthError(error)) throw error
      return { data: empty, error }
    }
  }

  const user = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, request: AuthRequest = {}) =>
    call(method, path, request, (body) => ({ user: body.user ?? body }), { user: null })

  return {
    signOut(jwt: string, scope: SignOutScope = 'global') {
      return call('POST', `/logout?scope=${scope}`, { jwt, raw: true }, () => null, null)
    },

    inviteUserByEmail(email, options = {}) {
      return user('POST', '/invite', { body: { email, data: options.data }, redirectTo: options.redirectTo })
    },

    generateLink({ options, ...rest }: GenerateLinkParams) {
      const body: any = { ...rest, ...options }
      if ('newEmail' in rest) {
        body.new_email = rest.newEmail
        delete body.newEmail
      }
      const read = ({ action_link, email_otp, hashed_token, redirect_to, verification_type, ...owner }: any) => ({
        properties: { action_link, email_otp, hashed_token, redirect_to, verification_type },
        user: owner,
      })
      const empty = { properties: null, user: null }
      return call('POST', '/admin/generate_link', { body, redirectTo: options?.redirectTo }, read, empty)
    },

    createUser(attributes: AdminUserAttributes) {
      return user('POST', '/admin/users', { body: attributes })
    },

    listUsers(params: PageParams = {}) {
      const query = { page: params.page?.toString() ?? '', per_page: params.perPage?.toString() ?? '' }
      const read = async (answer: Response) => ({ ...(await answer.json()), ...paginationOf(answer.headers) })
      return call('GET', '/admin/users', { query, raw: true }, read, { users: [] })
    },

    async getUserById(uid: string) {
      return user('GET', `/admin/users/${checked(uid)}`)
    },

    async updateUserById(uid: string, attributes: AdminUserAttributes) {
      return user('PUT', `/admin/users/${checked(uid)}`, { body: attributes })
    },

    async deleteUser(id: string, shouldSoftDelete = false) {
      return user('DELETE', `/admin/users/${checked(id)}`, { body: { should_soft_delete: shouldSoftDelete } })
    },

    mfa: {
      async listFactors({ userId }) {
        return call('GET', `/admin/users/${checked(userId)}/factors`, {}, (factors) => ({ factors }), null)
      },

      async deleteFactor({ id, userId }) {
        return call('DELETE', `/admin/users/${checked(userId)}/factors/${checked(id)}`, {}, (body) => body, null)
      },
    },
  }
}
