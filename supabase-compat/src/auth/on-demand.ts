/** What most pages never call, as one module: it is fetched at the first call of any of it. */

import { adminApi } from './admin.js'
import type { AuthContext } from './context.js'
import { flows } from './flows.js'
import { mfaApi } from './mfa.js'
import { passwordFlows } from './password.js'

export function onDemand(context: AuthContext) {
  const calls = flows(context)
  const admin = adminApi(context.api)
  return { flows: { ...calls, ...passwordFlows(context) }, mfa: mfaApi(context, calls.getUser), admin, adminMfa: admin.mfa }
}
