/** Which methods a client has, by the names a user writes, and which of them a test calls. */

/** What TypeScript calls private and JavaScript does not. */
const PRIVATE =
  /^(_.*|constructor|then|cloneRequestState|processResponse|signInWithEthereum|signInWithSolana|linkIdentityOAuth|linkIdentityIdToken|fetchJwk|fetch|logger|applyTransformOptsToQuery|encodeMetadata|handleOperation|uploadOrUpdate|listBucketOptionsToQueryString)$/

/** Where a step leads, by what was said so far: `from` of a client to a table, a table's methods to a query. */
const STEPS = /** @type {Record<string, string>} */ ({
  'client.from': 'from(…).',
  'client.rpc': 'from(…)….',
  'client.schema': 'client.schema(…).',
  'client.schema(…).from': 'from(…).',
  'client.schema(…).rpc': 'from(…)….',
  'client.schema(…).schema': 'client.schema(…).',
  'client.functions': 'functions.',
  'client.storage': 'storage.',
  'storage.from': 'storage.from(…).',
  'storage.analytics': 'storage.analytics.',
  'storage.vectors': 'storage.vectors.',
  'client.realtime': 'realtime.',
  'client.auth': 'auth.',
  'auth.mfa': 'auth.mfa.',
  'auth.mfa.webauthn': 'auth.mfa.webauthn.',
  'auth.oauth': 'auth.oauth.',
  'auth.passkey': 'auth.passkey.',
  'auth.admin': 'auth.admin.',
  'auth.admin.mfa': 'auth.admin.mfa.',
  'auth.admin.oauth': 'auth.admin.oauth.',
  'auth.admin.passkey': 'auth.admin.passkey.',
  'auth.admin.customProviders': 'auth.admin.customProviders.',
})

/** Objects that a client carries and does not offer: what it was made with, what it keeps, how it gets to its parts. */
const INNER = new Set(['client.rest', 'auth.memoryStorage', 'auth.storage', 'auth.initializePromise', 'auth.mfa.webauthn.client'])

/** Parts for which no method is counted: they are another product. */
export const WHOLE = ['storage.analytics.', 'storage.vectors.', 'realtime.']

/**
 * @param {string} part
 * @param {string} name
 */
function stepFrom(part, name) {
  return part.startsWith('from(…)') && name !== 'then' ? 'from(…)….' : STEPS[part + name]
}

/**
 * The same client, which has `note` told the name of each method that is called on it, such as `auth.mfa.enroll`.
 * What methods call among themselves is not told.
 * @template {object} T
 * @param {T} target
 * @param {(name: string) => void} note
 * @returns {T}
 */
export function observed(target, note, part = 'client.') {
  const follow = (/** @type {string} */ name, /** @type {unknown} */ value) => {
    const next = stepFrom(part, name)
    return next && typeof value === 'object' && value !== null ? observed(value, note, next) : value
  }
  return new Proxy(target, {
    get(_, name) {
      const value = /** @type {any} */ (target)[name]
      if (typeof name === 'symbol' || typeof value !== 'function') return follow(String(name), value)
      return (/** @type {unknown[]} */ ...args) => {
        if (!PRIVATE.test(name)) note(part + name)
        return follow(name, value.apply(target, args))
      }
    },
  })
}

/**
 * Names and values of an object and of its classes, but for what every object has.
 * @param {object} object
 */
function membersOf(object) {
  const members = /** @type {Map<string, unknown>} */ (new Map())
  for (let holder = object; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder))
    for (const name of Object.getOwnPropertyNames(holder))
      if (!PRIVATE.test(name) && !members.has(name)) members.set(name, /** @type {any} */ (object)[name])
  return members
}

/**
 * Whether a value offers methods of the package's own, as an address, a map or a list does not.
 * @param {unknown} value
 * @returns {value is object}
 */
function isPart(value) {
  if (typeof value !== 'object' || value === null) return false
  const kind = value.constructor?.name ?? ''
  if (kind !== 'Object' && kind in globalThis) return false
  return [...membersOf(value).values()].some((member) => typeof member === 'function')
}

/**
 * Every method of a client, found by walking over it. A part that nobody has thought of is an error.
 * @param {{ from(table: string): { select(): object }, schema(name: string): object, storage: { from(id: string): object } }} client
 * @returns {string[]}
 */
export function namesOf(client) {
  const names = /** @type {string[]} */ ([])
  const walk = (/** @type {string} */ part, /** @type {object} */ object) => {
    for (const [name, value] of membersOf(object)) {
      const path = part + name
      if (typeof value === 'function') names.push(path)
      else if (isPart(value) && !INNER.has(path)) {
        const next = STEPS[path]
        if (!next) throw new Error(`${path} is new: say where it leads`)
        if (WHOLE.includes(next)) names.push(path)
        else walk(next, value)
      }
    }
  }
  const table = client.from('books')
  walk('client.', client)
  walk('client.schema(…).', client.schema('archive'))
  walk('storage.from(…).', client.storage.from('pictures'))
  walk('from(…).', table)
  walk('from(…)….', table.select())
  return names.toSorted()
}
