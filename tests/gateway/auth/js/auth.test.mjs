// The official JavaScript client drives every auth method against a live gateway, in Node and in surroundings that
// look like a browser. Run by tests/gateway/auth/test_clients.py, which says where the gateway is and reads the report:
// each suite is named by the method that it is about.

import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'

const require = createRequire(new URL('../../../../supabase-compat/package.json', import.meta.url))
const { createClient } = require('@supabase/supabase-js')

const { GATEWAY_URL, GATEWAY_PUBLISHABLE, GATEWAY_SECRET, PROVIDER_URL, SURROUNDINGS } = process.env
const PHONES = process.env.PHONES.split(',')
const isBrowser = SURROUNDINGS === 'browser'
const PASSWORD = 'tin-lantern-42-river'
const APP = 'https://app.example.com/in'

/** Storage as a browser has it. */
class MemoryStorage {
  #items = new Map()
  getItem(key) {
    return this.#items.get(key) ?? null
  }
  setItem(key, value) {
    this.#items.set(key, String(value))
  }
  removeItem(key) {
    this.#items.delete(key)
  }
}

const browser = { href: 'https://app.example.com/', listeners: [] }
if (isBrowser) {
  const location = {
    get href() {
      return browser.href
    },
    set href(value) {
      browser.href = value
    },
    get hash() {
      return new URL(browser.href).hash
    },
    set hash(value) {
      browser.href = browser.href.split('#')[0] + (value ? `#${value}` : '')
    },
    assign(value) {
      browser.href = value
    },
  }
  const history = { state: null, replaceState: (_state, _title, href) => (browser.href = String(href)) }
  const listen = { addEventListener: (name, call) => browser.listeners.push([name, call]), removeEventListener() {} }
  globalThis.document = { visibilityState: 'visible', ...listen }
  globalThis.window = { location, history, localStorage: new MemoryStorage(), ...listen, document }
  globalThis.localStorage = window.localStorage
  const Channel = BroadcastChannel
  globalThis.BroadcastChannel = class extends Channel {
    constructor(name) {
      super(name)
      this.unref() // an open channel would keep Node from ending
    }
  }
}

function client(options = {}) {
  return createClient(GATEWAY_URL, GATEWAY_PUBLISHABLE, {
    realtime: { transport: class {} },
    auth: { storage: new MemoryStorage(), autoRefreshToken: false, detectSessionInUrl: false, ...options },
  })
}

const admin = createClient(GATEWAY_URL, GATEWAY_SECRET, {
  realtime: { transport: class {} },
  auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
}).auth.admin

const newEmail = () => `${randomUUID()}@example.com`

/** The data of an answer that is no error. */
function good({ data, error }) {
  assert.equal(error, null)
  return data
}

/** Status and code of an answer that is one. */
function refusal({ error }) {
  assert.ok(error, 'it was not refused')
  return [error.status, error.code]
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

async function person(attributes = {}) {
  const email = newEmail()
  const { user } = good(await admin.createUser({ email, password: PASSWORD, email_confirm: true, ...attributes }))
  return { email, user }
}

async function signedIn(options) {
  const { email, user } = await person()
  const supabase = client(options)
  const { session } = good(await supabase.auth.signInWithPassword({ email, password: PASSWORD }))
  return { supabase, email, user, session }
}

async function withFactor() {
  const known = await signedIn()
  const factor = good(await known.supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' }))
  return { ...known, factor, code: () => totp(factor.totp.secret) }
}

function totp(secret) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  let bits = ''
  for (const letter of secret) bits += alphabet.indexOf(letter).toString(2).padStart(5, '0')
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = digest[19] & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Follow a redirect by hand, as the browser would; the address that comes next. */
async function follow(url) {
  const answer = await fetch(url, { redirect: 'manual' })
  assert.ok([302, 303].includes(answer.status), `${answer.status} ${await answer.text()}`)
  return new URL(answer.headers.get('location'))
}

/** Sign in at the provider whose page is at `url`; where it leads the browser in the end. */
async function signInAtProvider(url) {
  const page = await (await fetch(await follow(url))).json()
  return follow(page.continue)
}

const idTokenOf = async (email) => (await (await fetch(`${PROVIDER_URL}/native?login_hint=${email}`)).json()).id_token

const asked = new Set()

/** A suite about one method. */
function method(name, tests) {
  asked.add(name)
  describe(name, tests)
}

// --- making an account --------------------------------------------------------------------------------------------

method('auth.signUp', () => {
  test('waits for its confirmation', async () => {
    const email = newEmail()
    const data = good(await client().auth.signUp({ email, password: PASSWORD, options: { data: { name: 'A' } } }))
    assert.equal(data.session, null)
    assert.equal(data.user.email, email)
    assert.equal(data.user.identities.length, 1)
    const refused = await client().auth.signInWithPassword({ email, password: PASSWORD })
    assert.deepEqual(refusal(refused), [400, 'email_not_confirmed'])
  })

  test('gives a user without identities for a taken address', async () => {
    const { email } = await person()
    assert.deepEqual(good(await client().auth.signUp({ email, password: PASSWORD })).user.identities, [])
  })

  test('is an AuthWeakPasswordError with reasons for a weak password', async () => {
    const { error } = await client().auth.signUp({ email: newEmail(), password: 'short' })
    assert.deepEqual([error.name, error.code, error.reasons], ['AuthWeakPasswordError', 'weak_password', ['length']])
  })

  test('by phone waits for the code of a message', async () => {
    const phone = PHONES[0]
    const data = good(await client().auth.signUp({ phone, password: PASSWORD }))
    assert.deepEqual([data.session, data.user.phone], [null, phone])
    const { session } = good(await client().auth.verifyOtp({ phone, token: '123456', type: 'sms' }))
    assert.ok(session.user.phone_confirmed_at)
    assert.ok(good(await client().auth.signInWithPassword({ phone, password: PASSWORD })).session)
  })
})

method('auth.signInAnonymously', () => {
  test('makes an account that can become a real one', async () => {
    const supabase = client()
    const { user } = good(await supabase.auth.signInAnonymously({ options: { data: { cart: 2 } } }))
    assert.equal(user.is_anonymous, true)
    assert.equal(user.user_metadata.cart, 2)
    assert.ok(good(await supabase.auth.updateUser({ email: newEmail() })).user.new_email)
  })
})

// --- signing in ---------------------------------------------------------------------------------------------------

method('auth.signInWithPassword', () => {
  test('begins a session', async () => {
    const { session, email } = await signedIn()
    assert.equal(session.user.email, email)
    assert.equal(session.token_type, 'bearer')
  })

  test('is an AuthApiError with its code for a wrong password', async () => {
    const { email } = await person()
    const { data, error } = await client().auth.signInWithPassword({ email, password: 'wrong' })
    assert.equal(data.session, null)
    assert.deepEqual([error.name, error.status, error.code], ['AuthApiError', 400, 'invalid_credentials'])
  })
})

method('auth.signInWithOtp', () => {
  test('by mail, with one answer for everybody', async () => {
    const { email } = await person()
    assert.deepEqual(good(await client().auth.signInWithOtp({ email })), { user: null, session: null })
    // Nobody is told that there is nobody.
    const unknown = await client().auth.signInWithOtp({ email: newEmail(), options: { shouldCreateUser: false } })
    assert.deepEqual(good(unknown), { user: null, session: null })
  })

  test('by text message', async () => {
    const phone = PHONES[1]
    good(await client().auth.signInWithOtp({ phone, options: { data: { name: 'Ada' } } }))
    const { user } = good(await client().auth.verifyOtp({ phone, token: '123456', type: 'sms' }))
    assert.equal(user.user_metadata.name, 'Ada')
  })

  test('says that no provider is configured', async () => {
    const refused = await client().auth.signInWithOtp({ phone: '15085550000' })
    assert.deepEqual(refusal(refused), [422, 'sms_send_failed'])
  })
})

method('auth.verifyOtp', () => {
  test('by code, and by the hash of a link, once', async () => {
    const { email } = await person()
    const byCode = good(await admin.generateLink({ type: 'magiclink', email }))
    const first = good(await client().auth.verifyOtp({ email, token: byCode.properties.email_otp, type: 'email' }))
    assert.equal(first.user.email, email)
    const { properties } = good(await admin.generateLink({ type: 'recovery', email }))
    const supabase = client()
    const events = []
    supabase.auth.onAuthStateChange((event) => events.push(event))
    good(await supabase.auth.verifyOtp({ token_hash: properties.hashed_token, type: 'recovery' }))
    await settled()
    assert.ok(events.includes('PASSWORD_RECOVERY'))
    const used = await client().auth.verifyOtp({ token_hash: properties.hashed_token, type: 'recovery' })
    assert.deepEqual(refusal(used), [403, 'otp_expired'])
  })

  test('confirms an account that never was', async () => {
    const email = newEmail()
    await client().auth.signUp({ email, password: PASSWORD })
    const { properties } = good(await admin.generateLink({ type: 'signup', email, password: PASSWORD }))
    good(await client().auth.verifyOtp({ token_hash: properties.hashed_token, type: 'signup' }))
    good(await client().auth.signInWithPassword({ email, password: PASSWORD }))
  })

  test('refuses a wrong code', async () => {
    const { email } = await person()
    assert.deepEqual(refusal(await client().auth.verifyOtp({ email, token: '000000', type: 'email' })), [403, 'otp_expired'])
  })
})

method('auth.signInWithOAuth', () => {
  test('leads to the provider and back with a session in the fragment', async () => {
    const email = newEmail()
    const options = { redirectTo: APP, skipBrowserRedirect: true, queryParams: { login_hint: email }, scopes: 'groups' }
    const { provider, url } = good(await client().auth.signInWithOAuth({ provider: 'keycloak', options }))
    assert.equal(provider, 'keycloak')
    const back = await signInAtProvider(url)
    assert.equal(back.origin + back.pathname, APP)
    const values = new URLSearchParams(back.hash.slice(1))
    const supabase = client()
    const taken = await supabase.auth.setSession({
      access_token: values.get('access_token'),
      refresh_token: values.get('refresh_token'),
    })
    assert.equal(good(taken).user.email, email)
    assert.equal(values.get('provider_token'), 'provider-access')
  })

  test('takes a browser there by itself', { skip: !isBrowser && 'there is no browser here' }, async () => {
    good(await client().auth.signInWithOAuth({ provider: 'keycloak', options: { redirectTo: APP } }))
    assert.ok(browser.href.startsWith(`${GATEWAY_URL}/auth/v1/authorize?provider=keycloak`))
  })
})

method('auth.exchangeCodeForSession', () => {
  test('ends a sign-in at a provider, with its tokens', async () => {
    const email = newEmail()
    const supabase = client({ flowType: 'pkce' })
    const options = { redirectTo: APP, skipBrowserRedirect: true, queryParams: { login_hint: email } }
    const { url } = good(await supabase.auth.signInWithOAuth({ provider: 'keycloak', options }))
    const back = await signInAtProvider(url)
    assert.equal(back.hash, '')
    const code = back.searchParams.get('code')
    const stolen = await client({ flowType: 'pkce' }).auth.exchangeCodeForSession(code)
    assert.ok(stolen.error, 'another client took the session')
    const { session } = good(await supabase.auth.exchangeCodeForSession(code))
    assert.equal(session.user.email, email)
    assert.deepEqual([session.provider_token, session.provider_refresh_token], ['provider-access', 'provider-refresh'])
    assert.equal((await supabase.auth.getUser()).data.user.app_metadata.provider, 'keycloak')
  })

  test('refuses a code that nobody issued', async () => {
    const { email } = await person()
    const supabase = client({ flowType: 'pkce' })
    good(await supabase.auth.resetPasswordForEmail(email))
    assert.deepEqual(refusal(await supabase.auth.exchangeCodeForSession(randomUUID())), [404, 'flow_state_not_found'])
  })
})

method('auth.signInWithIdToken', () => {
  test('trades a token of the provider for a session', async () => {
    const email = newEmail()
    const token = await idTokenOf(email)
    const { user } = good(await client().auth.signInWithIdToken({ provider: 'keycloak', token }))
    assert.equal(user.email, email)
    const { error } = await client().auth.signInWithIdToken({ provider: 'keycloak', token: 'x.y.z' })
    assert.deepEqual([error.status, error.message], [400, 'Bad ID token'])
  })
})

method('auth.signInWithSSO', () => {
  test('says that there is no SAML', async () => {
    const refused = await client().auth.signInWithSSO({ domain: 'example.com' })
    assert.deepEqual(refusal(refused), [404, 'saml_provider_disabled'])
  })
})

method('auth.signInWithWeb3', () => {
  test('says that there are no wallets', async () => {
    const credentials = { chain: 'solana', message: 'm', signature: new Uint8Array(64) }
    assert.deepEqual(refusal(await client().auth.signInWithWeb3(credentials)), [422, 'web3_provider_disabled'])
  })
})

// --- the session --------------------------------------------------------------------------------------------------

method('auth.initialize', () => {
  test('takes a session out of the address', { skip: !isBrowser && 'there is no address here' }, async () => {
    const { email } = await person()
    const { properties } = good(await admin.generateLink({ type: 'recovery', email }))
    browser.href = (await follow(properties.action_link)).href
    const supabase = client({ detectSessionInUrl: true })
    good({ data: null, ...(await supabase.auth.initialize()) })
    assert.equal(good(await supabase.auth.getSession()).session.user.email, email)
    assert.equal(new URL(browser.href).hash, '')
  })

  test('takes a session out of the storage', async () => {
    const storage = new MemoryStorage()
    const { email } = await signedIn({ storage })
    const supabase = client({ storage })
    assert.equal((await supabase.auth.initialize()).error, null)
    assert.equal(good(await supabase.auth.getSession()).session.user.email, email)
  })
})

method('auth.getSession', () => {
  test('is the session, then nothing', async () => {
    const { supabase, session } = await signedIn()
    assert.equal(good(await supabase.auth.getSession()).session.access_token, session.access_token)
    await supabase.auth.signOut()
    assert.equal(good(await supabase.auth.getSession()).session, null)
  })
})

method('auth.setSession', () => {
  test('takes a session over', async () => {
    const { session, email } = await signedIn()
    assert.equal(good(await client().auth.setSession(session)).user.email, email)
  })

  test('refreshes one that has expired', async () => {
    const { session } = await signedIn()
    const [head, claims, code] = session.access_token.split('.')
    const old = { ...JSON.parse(Buffer.from(claims, 'base64url')), exp: 1_000_000_000 }
    const access_token = [head, Buffer.from(JSON.stringify(old)).toString('base64url'), code].join('.')
    const taken = good(await client().auth.setSession({ access_token, refresh_token: session.refresh_token }))
    assert.notEqual(taken.session.refresh_token, session.refresh_token)
  })
})

method('auth.refreshSession', () => {
  test('gives a new token', async () => {
    const { supabase, session } = await signedIn()
    assert.notEqual(good(await supabase.auth.refreshSession()).session.refresh_token, session.refresh_token)
  })

  test('of several tabs at once keeps all of them signed in', async () => {
    const { session } = await signedIn()
    const tabs = [client(), client(), client()]
    const answers = await Promise.all(tabs.map((tab) => tab.auth.refreshSession(session)))
    assert.equal(new Set(answers.map((answer) => good(answer).session.refresh_token)).size, 1)
  })

  test('of a session that was ended has its code', async () => {
    const { supabase, session } = await signedIn()
    await supabase.auth.signOut()
    assert.deepEqual(refusal(await client().auth.refreshSession(session)), [400, 'refresh_token_not_found'])
  })
})

method('auth.getUser', () => {
  test('asks the server, with its own token or a given one', async () => {
    const { supabase, email, session } = await signedIn()
    assert.equal(good(await supabase.auth.getUser()).user.email, email)
    assert.equal(good(await client().auth.getUser(session.access_token)).user.email, email)
    assert.deepEqual(refusal(await client().auth.getUser('not-a-token')), [403, 'bad_jwt'])
  })
})

method('auth.getClaims', () => {
  test('needs the server no more than for the keys', async () => {
    const { supabase, email } = await signedIn()
    const { claims, header } = good(await supabase.auth.getClaims())
    assert.deepEqual([claims.email, claims.aal, claims.role, header.alg], [email, 'aal1', 'authenticated', 'ES256'])
  })
})

method('auth.onAuthStateChange', () => {
  test('follows a session through its life', async () => {
    const { email } = await person()
    const supabase = client()
    const events = []
    const { data } = supabase.auth.onAuthStateChange((event) => events.push(event))
    await supabase.auth.getSession()
    await supabase.auth.signInWithPassword({ email, password: PASSWORD })
    await supabase.auth.refreshSession()
    await supabase.auth.updateUser({ data: { name: 'Ada' } })
    await supabase.auth.signOut()
    await settled()
    data.subscription.unsubscribe()
    assert.deepEqual(
      events.filter((event) => event !== 'INITIAL_SESSION'),
      ['SIGNED_IN', 'TOKEN_REFRESHED', 'USER_UPDATED', 'SIGNED_OUT'],
    )
  })
})

for (const name of ['startAutoRefresh', 'stopAutoRefresh']) {
  method(`auth.${name}`, () => {
    test('renews a session that is about to end', async () => {
      const storage = new MemoryStorage()
      const storageKey = 'auto'
      const { session } = await signedIn({ storage, storageKey })
      storage.setItem(storageKey, JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 20 }))
      const supabase = client({ storage, storageKey })
      const renewed = new Promise((resolve) =>
        supabase.auth.onAuthStateChange((event, found) => event === 'TOKEN_REFRESHED' && resolve(found)),
      )
      await supabase.auth.startAutoRefresh()
      assert.notEqual((await renewed).refresh_token, session.refresh_token)
      await supabase.auth.stopAutoRefresh()
    })
  })
}

method('auth.signOut', () => {
  for (const [scope, alive] of [
    ['local', [false, true]],
    ['others', [true, false]],
    ['global', [false, false]],
  ]) {
    test(`of scope ${scope}`, async () => {
      const { supabase, email } = await signedIn()
      const other = client()
      await other.auth.signInWithPassword({ email, password: PASSWORD })
      assert.equal((await supabase.auth.signOut({ scope })).error, null)
      const found = []
      for (const each of [supabase, other]) found.push((await each.auth.getUser()).data.user !== null)
      assert.deepEqual(found, alive)
    })
  }
})

// --- the own account ----------------------------------------------------------------------------------------------

method('auth.updateUser', () => {
  test('merges data', async () => {
    const { supabase } = await signedIn()
    await supabase.auth.updateUser({ data: { a: 1, b: 2 } })
    const { user } = good(await supabase.auth.updateUser({ data: { b: null, c: 3 } }))
    assert.deepEqual([user.user_metadata.a, 'b' in user.user_metadata, user.user_metadata.c], [1, false, 3])
  })

  test('changes the password, for a wrong code it does not', async () => {
    const { supabase, email } = await signedIn()
    const wrong = await supabase.auth.updateUser({ password: 'another-lantern-5', nonce: '000000' })
    assert.deepEqual(refusal(wrong), [422, 'reauthentication_not_valid'])
    good(await supabase.auth.updateUser({ password: 'another-lantern-5' }))
    good(await client().auth.signInWithPassword({ email, password: 'another-lantern-5' }))
  })

  test('begins a change of address, and of number', async () => {
    const { supabase } = await signedIn()
    const email = newEmail()
    assert.equal(good(await supabase.auth.updateUser({ email })).user.new_email, email)
    const phone = PHONES[2]
    assert.equal(good(await supabase.auth.updateUser({ phone })).user.new_phone, phone)
    const { user } = good(await supabase.auth.verifyOtp({ phone, token: '123456', type: 'phone_change' }))
    assert.equal(user.phone, phone)
  })

  test('without a session is an AuthSessionMissingError', async () => {
    assert.equal((await client().auth.updateUser({ data: {} })).error.name, 'AuthSessionMissingError')
  })
})

method('auth.resetPasswordForEmail', () => {
  test('answers without saying who is there', async () => {
    const { email } = await person()
    assert.deepEqual(good(await client().auth.resetPasswordForEmail(email)), {})
    assert.deepEqual(good(await client().auth.resetPasswordForEmail(newEmail())), {})
  })
})

method('auth.reauthenticate', () => {
  test('sends a code', async () => {
    const { supabase } = await signedIn()
    good(await supabase.auth.reauthenticate())
  })
})

method('auth.resend', () => {
  for (const type of ['signup', 'email_change']) {
    test(`of type ${type} answers without saying who is there`, async () => {
      good(await client().auth.resend({ type, email: newEmail() }))
    })
  }
  for (const type of ['sms', 'phone_change']) {
    test(`of type ${type}`, async () => {
      good(await client().auth.resend({ type, phone: PHONES[3] }))
    })
  }
})

method('auth.getUserIdentities', () => {
  test('lists the one of an account by mail', async () => {
    const { supabase, user } = await signedIn()
    const { identities } = good(await supabase.auth.getUserIdentities())
    assert.deepEqual(identities.map((each) => [each.provider, each.user_id]), [['email', user.id]])
  })
})

method('auth.linkIdentity', () => {
  test('at a provider', async () => {
    const { supabase, user } = await signedIn()
    const options = { redirectTo: APP, skipBrowserRedirect: true, queryParams: { login_hint: newEmail() } }
    const { url } = good(await supabase.auth.linkIdentity({ provider: 'keycloak', options }))
    const page = await (await fetch(url)).json()
    await follow(page.continue)
    const linked = good(await supabase.auth.getUser()).user
    assert.deepEqual([linked.id, linked.app_metadata.providers], [user.id, ['email', 'keycloak']])
  })

  test('by a token of the provider', async () => {
    const { supabase, user } = await signedIn()
    const token = await idTokenOf(newEmail())
    const linked = good(await supabase.auth.linkIdentity({ provider: 'keycloak', token })).user
    assert.deepEqual([linked.id, linked.app_metadata.providers], [user.id, ['email', 'keycloak']])
  })
})

method('auth.unlinkIdentity', () => {
  test('gives one of two up; the last one stays', async () => {
    const { supabase } = await signedIn()
    await supabase.auth.linkIdentity({ provider: 'keycloak', token: await idTokenOf(newEmail()) })
    const { identities } = good(await supabase.auth.getUserIdentities())
    good(await supabase.auth.unlinkIdentity(identities.find((each) => each.provider === 'keycloak')))
    const left = good(await supabase.auth.getUserIdentities()).identities
    assert.deepEqual(left.map((each) => each.provider), ['email'])
    assert.deepEqual(refusal(await supabase.auth.unlinkIdentity(left[0])), [422, 'single_identity_not_deletable'])
  })
})

// --- second factors -----------------------------------------------------------------------------------------------

method('auth.mfa.enroll', () => {
  test('gives a secret and its picture', async () => {
    const { factor } = await withFactor()
    assert.equal(factor.type, 'totp')
    assert.ok(factor.totp.qr_code.startsWith('data:image/svg+xml;utf-8,<svg'))
    assert.ok(!/[#\n]/.test(factor.totp.qr_code), 'a data URL ends at a hash sign')
    assert.ok(factor.totp.uri.startsWith('otpauth://totp/'))
  })

  test('refuses a second one of the name, and kinds that are off', async () => {
    const { supabase } = await withFactor()
    const again = await supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })
    assert.deepEqual(refusal(again), [422, 'mfa_factor_name_conflict'])
    const phone = await supabase.auth.mfa.enroll({ factorType: 'phone', phone: '15085550101' })
    assert.deepEqual(refusal(phone), [422, 'mfa_phone_enroll_not_enabled'])
  })
})

method('auth.mfa.challenge', () => {
  test('says until when it can be answered', async () => {
    const { supabase, factor } = await withFactor()
    const challenge = good(await supabase.auth.mfa.challenge({ factorId: factor.id }))
    assert.ok(challenge.expires_at > Date.now() / 1000)
    assert.deepEqual(refusal(await supabase.auth.mfa.challenge({ factorId: randomUUID() })), [404, 'mfa_factor_not_found'])
  })
})

method('auth.mfa.verify', () => {
  test('lifts the session, for a wrong code it does not', async () => {
    const { supabase, factor, code } = await withFactor()
    const { id: challengeId } = good(await supabase.auth.mfa.challenge({ factorId: factor.id }))
    const wrong = await supabase.auth.mfa.verify({ factorId: factor.id, challengeId, code: '12345x' })
    assert.deepEqual(refusal(wrong), [422, 'mfa_verification_failed'])
    good(await supabase.auth.mfa.verify({ factorId: factor.id, challengeId, code: code() }))
    assert.equal(good(await supabase.auth.getClaims()).claims.aal, 'aal2')
  })
})

method('auth.mfa.challengeAndVerify', () => {
  test('does both', async () => {
    const { supabase, factor, code } = await withFactor()
    const events = []
    supabase.auth.onAuthStateChange((event) => events.push(event))
    good(await supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code: code() }))
    await settled()
    assert.ok(events.includes('MFA_CHALLENGE_VERIFIED'))
  })
})

method('auth.mfa.getAuthenticatorAssuranceLevel', () => {
  test('is the session’s and what it could be', async () => {
    const { supabase, factor, code } = await withFactor()
    const level = async () => {
      const found = good(await supabase.auth.mfa.getAuthenticatorAssuranceLevel())
      return [found.currentLevel, found.nextLevel]
    }
    assert.deepEqual(await level(), ['aal1', 'aal1'])
    await supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code: code() })
    assert.deepEqual(await level(), ['aal2', 'aal2'])
  })
})

method('auth.mfa.listFactors', () => {
  test('tells proved ones from all', async () => {
    const { supabase, factor } = await withFactor()
    const listed = good(await supabase.auth.mfa.listFactors())
    assert.deepEqual([listed.all.map((each) => each.id), listed.totp], [[factor.id], []])
  })
})

method('auth.mfa.unenroll', () => {
  test('lowers the session again', async () => {
    const { supabase, factor, code } = await withFactor()
    await supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code: code() })
    good(await supabase.auth.mfa.unenroll({ factorId: factor.id }))
    good(await supabase.auth.refreshSession())
    assert.equal(good(await supabase.auth.mfa.getAuthenticatorAssuranceLevel()).currentLevel, 'aal1')
  })
})

// --- administration -----------------------------------------------------------------------------------------------

method('auth.admin.createUser', () => {
  test('makes what was given, once', async () => {
    const { email, user } = await person({ user_metadata: { name: 'Ada' }, app_metadata: { team: 'blue' } })
    assert.deepEqual([user.user_metadata.name, user.app_metadata.team], ['Ada', 'blue'])
    assert.deepEqual(refusal(await admin.createUser({ email })), [422, 'email_exists'])
  })
})

method('auth.admin.getUserById', () => {
  test('finds a user or says that there is none', async () => {
    const { email, user } = await person()
    assert.equal(good(await admin.getUserById(user.id)).user.email, email)
    assert.deepEqual(refusal(await admin.getUserById(randomUUID())), [404, 'user_not_found'])
  })
})

method('auth.admin.listUsers', () => {
  test('gives pages and says how many there are', async () => {
    for (const _ of [1, 2, 3]) await person()
    const page = good(await admin.listUsers({ page: 1, perPage: 2 }))
    assert.equal(page.users.length, 2)
    assert.equal(page.nextPage, 2)
    assert.ok(page.total >= 3 && page.lastPage >= 2)
  })

  test('needs the secret key', async () => {
    const refused = await client().auth.admin.listUsers()
    assert.deepEqual(refused.data.users, [])
    assert.deepEqual(refusal(refused), [403, 'not_admin'])
  })
})

method('auth.admin.updateUserById', () => {
  test('applies at once, a ban too', async () => {
    const { user } = await person()
    const changed = good(await admin.updateUserById(user.id, { email: newEmail(), ban_duration: '1h' })).user
    assert.ok(changed.banned_until)
    const refused = await client().auth.signInWithPassword({ email: changed.email, password: PASSWORD })
    assert.deepEqual(refusal(refused), [400, 'invalid_credentials'])
  })
})

method('auth.admin.deleteUser', () => {
  for (const soft of [false, true]) {
    test(soft ? 'softly keeps the id' : 'removes the account', async () => {
      const { email, user } = await person()
      good(await admin.deleteUser(user.id, soft))
      const found = await admin.getUserById(user.id)
      if (soft) assert.notEqual(good(found).user.email, email)
      else assert.deepEqual(refusal(found), [404, 'user_not_found'])
    })
  }
})

method('auth.admin.inviteUserByEmail', () => {
  test('makes an account that waits', async () => {
    const { user } = good(await admin.inviteUserByEmail(newEmail(), { data: { name: 'New' } }))
    assert.ok(user.invited_at)
    assert.equal(user.email_confirmed_at, undefined)
  })
})

method('auth.admin.generateLink', () => {
  for (const type of ['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new']) {
    test(`of type ${type}`, async () => {
      const email = ['signup', 'invite'].includes(type) ? newEmail() : (await person()).email
      const options = { redirectTo: APP }
      const data = good(await admin.generateLink({ type, email, password: PASSWORD, newEmail: newEmail(), options }))
      assert.equal(data.properties.verification_type, type)
      assert.equal(data.properties.redirect_to, APP)
      assert.equal((await follow(data.properties.action_link)).host, 'app.example.com')
    })
  }
})

method('auth.admin.signOut', () => {
  test('ends the sessions of a token', async () => {
    const { session, supabase } = await signedIn()
    good(await admin.signOut(session.access_token, 'global'))
    assert.equal((await supabase.auth.getUser()).error.name, 'AuthSessionMissingError')
  })
})

method('auth.admin.mfa.listFactors', () => {
  test('lists those of a user', async () => {
    const { user, factor } = await withFactor()
    const { factors } = good(await admin.mfa.listFactors({ userId: user.id }))
    assert.deepEqual(factors.map((each) => each.id), [factor.id])
  })
})

method('auth.admin.mfa.deleteFactor', () => {
  test('helps who lost their phone', async () => {
    const { user, factor } = await withFactor()
    good(await admin.mfa.deleteFactor({ userId: user.id, id: factor.id }))
    assert.deepEqual(good(await admin.mfa.listFactors({ userId: user.id })).factors, [])
  })
})

// --- the list -----------------------------------------------------------------------------------------------------

// What is no part of the contract here, asks no server, or is a private half of a method that has its suite.
const LEFT_OUT = [
  /^auth\.(admin\.)?(oauth|passkey|customProviders)\./,
  /^auth\.(signInWithPasskey|registerPasskey|mfa\.webauthn|dispose|logger|(admin\.)?fetch|isThrowOnErrorEnabled|__.*)$/,
  /^auth\.(signInWithEthereum|signInWithSolana|linkIdentityOAuth|linkIdentityIdToken|fetchJwk)$/,
  /^auth\..*\.?_/,
]

describe('every method', () => {
  test('of the client has a suite here', () => {
    const found = []
    const look = (path, holder) => {
      for (let level = holder; level !== Object.prototype; level = Object.getPrototypeOf(level)) {
        for (const name of Object.getOwnPropertyNames(level)) {
          if (name !== 'constructor' && typeof holder[name] === 'function') found.push(`${path}.${name}`)
        }
      }
    }
    const { auth } = client()
    look('auth', auth)
    look('auth.mfa', auth.mfa)
    look('auth.admin', auth.admin)
    look('auth.admin.mfa', auth.admin.mfa)
    const own = found.filter((name) => !LEFT_OUT.some((pattern) => pattern.test(name)))
    assert.deepEqual(own.filter((name) => !asked.has(name)), [])
    assert.deepEqual([...asked].filter((name) => !found.includes(name)), [])
  })
})
