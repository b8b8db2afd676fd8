/** Which methods a client has, by the names a user writes, and which of them a scenario calls. */

import type { Client } from './harness.js'

/** What TypeScript calls private and JavaScript does not. */
const PRIVATE =
  /^(_.*|constructor|then|cloneRequestState|processResponse|signInWithEthereum|signInWithSolana|linkIdentityOAuth|linkIdentityIdToken|fetchJwk|fetch|logger)$/

/** Where a step leads, by what was said so far: `from` of a client to a table, a table's methods to a query. */
const STEPS: Record<string, string> = {
  'client.from': 'from(…).',
  'client.rpc': 'from(…)….',
  'client.schema': 'client.schema(…).',
  'client.schema(…).from': 'from(…).',
  'client.schema(…).rpc': 'from(…)….',
  'client.schema(…).schema': 'client.schema(…).',
  'client.functions': 'functions.',
  'client.auth': 'auth.',
  'auth.mfa': 'auth.mfa.',
  'auth.admin': 'auth.admin.',
  'auth.admin.mfa': 'auth.admin.mfa.',
}

function stepFrom(part: string, name: string): string | undefined {
  return part.startsWith('from(…)') && name !== 'then' ? 'from(…)….' : STEPS[part + name]
}

/**
 * The same client, which has `note` told the name of each method that is called on it, such as `auth.mfa.enroll`.
 * What methods call among themselves is not told.
 */
export function observed<T extends object>(target: T, note: (name: string) => void, part = 'client.'): T {
  const follow = (name: string, value: unknown) => {
    const next = stepFrom(part, name)
    return next && typeof value === 'object' && value !== null ? observed(value, note, next) : value
  }
  return new Proxy(target, {
    get(_, name) {
      const value = (target as any)[name]
      if (typeof name === 'symbol' || typeof value !== 'function') return follow(String(name), value)
      return (...args: unknown[]) => {
        if (!PRIVATE.test(name)) note(part + name)
        return follow(name, value.apply(target, args))
      }
    },
  })
}

/** An object's own functions and those of its classes. */
function methodsOf(object: object): Set<string> {
  const methods = new Set<string>()
  for (let holder = object; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(holder)))
      if (typeof value === 'function' && !PRIVATE.test(name)) methods.add(name)
  return methods
}

/** Every method of the official client for tables, rpc, auth and functions. */
export function namesOf(client: Client): string[] {
  const table = client.from('books')
  const parts: Record<string, object> = {
    'client.': client,
    'client.schema(…).': client.schema('archive'),
    'from(…).': table,
    'from(…)….': table.select(),
    'functions.': client.functions,
    'auth.': client.auth,
    'auth.mfa.': client.auth.mfa,
    'auth.admin.': client.auth.admin,
    'auth.admin.mfa.': client.auth.admin.mfa,
  }
  return Object.entries(parts)
    .flatMap(([part, object]) => [...methodsOf(object)].map((name) => part + name))
    .toSorted()
}
