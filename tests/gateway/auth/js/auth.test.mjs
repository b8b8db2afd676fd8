// The official JavaScript client drives every auth method against a live gateway, in Node and in surroundings that
// look like a browser. Run by tests/gateway/auth/test_clients.py, which says where the gateway is.

import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'

const require = createRequire(new URL('../../../../supabase-compat/package.json', import.meta.url))
const { createClient } = require('@supabase/supabase-js')

const { GATEWAY_URL, GATEWAY_PUBLISHABLE, GATEWAY_SECRET, SURROUNDINGS } = process.env
const isBrowser = SURROUNDINGS === 'browser'
const PASSWORD = 'tin-lantern-42-river'

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

async function person(attributes = {}) {
  const email = newEmail()
  const { data, error } = await admin.createUser({ email, password: PASSWORD, email_confirm: true, ...attributes })
  assert.equal(error, null)
  return { email, user: data.user }
}

async function signedIn(options) {
  const { email, user } = await person()
  const supabase = client(options)
  const { data, error } = await supabase.auth.signInWithPassword({ email, password: PASSWORD })
  assert.equal(error, null)
  return { supabase, email, user, session: data.session }
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

describe('signing in and out', () => {
  test('events follow a session through its life', async () => {
    const { email } = await person()
    const supabase = client()
    const events = []
    supabase.auth.onAuthStateChange((event) => events.push(event))
    await supabase.auth.getSession()
    await supabase.auth.signInWithPassword({ email, password: PASSWORD })
    await supabase.auth.refreshSession()
    await supabase.auth.updateUser({ data: { name: 'Ada' } })
    await supabase.auth.signOut()
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(
      events.filter((event) => event !== 'INITIAL_SESSION'),
      ['SIGNED_IN', 'TOKEN_REFRESHED', 'USER_UPDATED', 'SIGNED_OUT'],
    )
    assert.equal((await supabase.auth.getSession()).data.session, null)
  })

  test('wrong password is an AuthApiError with its code', async () => {
    const { email } = await person()
    const { data, error } = await client().auth.signInWithPassword({ email, password: 'wrong' })
    assert.equal(data.session, null)
    assert.deepEqual([error.name, error.status, error.code], ['AuthApiError', 400, 'invalid_credentials'])
  })

  test('getUser asks the server, getClaims needs it no more than for the keys', async () => {
    const { supabase, email, session } = await signedIn()
    assert.equal((await supabase.auth.getUser()).data.user.email, email)
    assert.equal((await supabase.auth.getUser(session.access_token)).data.user.email, email)
    const { data, error } = await supabase.auth.getClaims()
    assert.equal(error, null)
    assert.equal(data.claims.email, email)
    assert.equal(data.header.alg, 'ES256')
    assert.equal(data.claims.aal, 'aal1')
  })

  test('setSession and refreshSession take a session over', async () => {
    const { session, email } = await signedIn()
    const other = client()
    const taken = await other.auth.setSession(session)
    assert.equal(taken.data.user.email, email)
    const refreshed = await other.auth.refreshSession()
    assert.equal(refreshed.error, null)
    assert.notEqual(refreshed.data.session.refresh_token, session.refresh_token)
  })

  for (const [scope, alive] of [
    ['local', [false, true]],
    ['others', [true, false]],
    ['global', [false, false]],
  ]) {
    test(`sign-out of scope ${scope}`, async () => {
      const { supabase, email } = await signedIn()
      const other = client()
      await other.auth.signInWithPassword({ email, password: PASSWORD })
      assert.equal((await supabase.auth.signOut({ scope })).error, null)
      const found = []
      for (const each of [supabase, other]) found.push((await each.auth.getUser()).data.user !== null)
      assert.deepEqual(found, alive)
    })
  }

  test('two tabs refresh with one token and both stay signed in', async () => {
    const { session } = await signedIn()
    const tabs = [client(), client(), client()]
    const answers = await Promise.all(tabs.map((tab) => tab.auth.refreshSession(session)))
    assert.deepEqual(answers.map((answer) => answer.error), [null, null, null])
    assert.equal(new Set(answers.map((answer) => answer.data.session.refresh_token)).size, 1)
  })

  test('a used refresh token signs out with its code', async () => {
    const { supabase, session } = await signedIn()
    await supabase.auth.signOut()
    const { error } = await client().auth.refreshSession(session)
    assert.equal(error.code, 'refresh_token_not_found')
  })
})

describe('making an account', () => {
  test('sign-up waits for its confirmation', async () => {
    const email = newEmail()
    const { data, error } = await client().auth.signUp({ email, password: PASSWORD, options: { data: { name: 'A' } } })
    assert.equal(error, null)
    assert.equal(data.session, null)
    assert.equal(data.user.email, email)
    assert.equal(data.user.identities.length, 1)
    const refused = await client().auth.signInWithPassword({ email, password: PASSWORD })
    assert.equal(refused.error.code, 'email_not_confirmed')
  })

  test('a taken address gives a user without identities', async () => {
    const { email } = await person()
    const { data, error } = await client().auth.signUp({ email, password: PASSWORD })
    assert.equal(error, null)
    assert.deepEqual(data.user.identities, [])
  })

  test('a weak password is an AuthWeakPasswordError with reasons', async () => {
    const { error } = await client().auth.signUp({ email: newEmail(), password: 'short' })
    assert.deepEqual([error.name, error.code, error.reasons], ['AuthWeakPasswordError', 'weak_password', ['length']])
  })

  test('anonymous sign-in and its upgrade', async () => {
    const supabase = client()
    const { data, error } = await supabase.auth.signInAnonymously({ options: { data: { cart: 2 } } })
    assert.equal(error, null)
    assert.equal(data.user.is_anonymous, true)
    const upgraded = await supabase.auth.updateUser({ email: newEmail() })
    assert.equal(upgraded.error, null)
    assert.ok(upgraded.data.user.new_email)
  })
})

describe('codes and links', () => {
  test('verifyOtp by code and by hash', async () => {
    const { email } = await person()
    const byCode = await admin.generateLink({ type: 'magiclink', email })
    const first = await client().auth.verifyOtp({ email, token: byCode.data.properties.email_otp, type: 'email' })
    assert.equal(first.data.user.email, email)
    const byHash = await admin.generateLink({ type: 'recovery', email })
    const supabase = client()
    const events = []
    supabase.auth.onAuthStateChange((event) => events.push(event))
    const second = await supabase.auth.verifyOtp({ token_hash: byHash.data.properties.hashed_token, type: 'recovery' })
    assert.equal(second.error, null)
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.ok(events.includes('PASSWORD_RECOVERY'))
    const used = await client().auth.verifyOtp({ token_hash: byHash.data.properties.hashed_token, type: 'recovery' })
    assert.deepEqual([used.error.status, used.error.code], [403, 'otp_expired'])
  })

  test('recovery, magic link and resend answer without saying who is there', async () => {
    const supabase = client()
    const { email } = await person()
    assert.equal((await supabase.auth.resetPasswordForEmail(email)).error, null)
    assert.equal((await supabase.auth.resetPasswordForEmail(newEmail())).error, null)
    assert.equal((await supabase.auth.signInWithOtp({ email })).error, null)
    assert.equal((await supabase.auth.resend({ type: 'signup', email: newEmail() })).error, null)
    const refused = await supabase.auth.signInWithOtp({ email: newEmail(), options: { shouldCreateUser: false } })
    assert.equal(refused.error.code, 'otp_disabled')
  })

  test('an account that never was confirmed is confirmed by its link', async () => {
    const email = newEmail()
    await client().auth.signUp({ email, password: PASSWORD })
    const { data } = await admin.generateLink({ type: 'signup', email, password: PASSWORD })
    const { error } = await client().auth.verifyOtp({ token_hash: data.properties.hashed_token, type: 'signup' })
    assert.equal(error, null)
    assert.equal((await client().auth.signInWithPassword({ email, password: PASSWORD })).error, null)
  })

  test('reauthenticate and a password with its nonce', async () => {
    const { supabase } = await signedIn()
    assert.equal((await supabase.auth.reauthenticate()).error, null)
    const wrong = await supabase.auth.updateUser({ password: 'another-lantern-5', nonce: '000000' })
    assert.equal(wrong.error.code, 'reauthentication_not_valid')
    assert.equal((await supabase.auth.updateUser({ password: 'another-lantern-5' })).error, null)
  })

  test('a code challenge is asked for and kept', async () => {
    const { email } = await person()
    const supabase = client({ flowType: 'pkce' })
    assert.equal((await supabase.auth.resetPasswordForEmail(email)).error, null)
    const missing = await supabase.auth.exchangeCodeForSession(randomUUID())
    assert.equal(missing.error.code, 'flow_state_not_found')
  })

  test('a session in the address signs the page in', { skip: !isBrowser && 'there is no address here' }, async () => {
    const { email } = await person()
    const { data } = await admin.generateLink({ type: 'recovery', email })
    const followed = await fetch(data.properties.action_link, { redirect: 'manual' })
    assert.equal(followed.status, 303)
    browser.href = followed.headers.get('location')
    const supabase = client({ detectSessionInUrl: true })
    const { data: found } = await supabase.auth.getSession()
    assert.equal(found.session.user.email, email)
    assert.equal(new URL(browser.href).hash, '')
  })
})

describe('second factors', () => {
  test('enrol, prove, list, and give up', async () => {
    const { supabase } = await signedIn()
    const { data: factor, error } = await supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })
    assert.equal(error, null)
    assert.ok(factor.totp.qr_code.startsWith('data:image/svg+xml;utf-8,<svg'))
    const { data: challenge } = await supabase.auth.mfa.challenge({ factorId: factor.id })
    const wrong = await supabase.auth.mfa.verify({ factorId: factor.id, challengeId: challenge.id, code: '12345x' })
    assert.equal(wrong.error.code, 'mfa_verification_failed')
    const proved = await supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code: totp(factor.totp.secret) })
    assert.equal(proved.error, null)
    const { data: level } = await supabase.auth.mfa.getAuthenticatorAssuranceLevel()
    assert.deepEqual([level.currentLevel, level.nextLevel], ['aal2', 'aal2'])
    const { data: listed } = await supabase.auth.mfa.listFactors()
    assert.deepEqual(listed.totp.map((each) => each.id), [factor.id])
    assert.equal((await supabase.auth.mfa.unenroll({ factorId: factor.id })).error, null)
    await supabase.auth.refreshSession()
    assert.equal((await supabase.auth.mfa.getAuthenticatorAssuranceLevel()).data.currentLevel, 'aal1')
  })
})

describe('identities', () => {
  test('are listed; the last one stays', async () => {
    const { supabase } = await signedIn()
    const { data } = await supabase.auth.getUserIdentities()
    assert.equal(data.identities.length, 1)
    const { error } = await supabase.auth.unlinkIdentity(data.identities[0])
    assert.equal(error.code, 'single_identity_not_deletable')
  })
})

describe('administration', () => {
  test('a user is made, read, changed, listed, banned and deleted', async () => {
    const { email, user } = await person({ user_metadata: { name: 'Ada' }, app_metadata: { team: 'blue' } })
    assert.equal((await admin.getUserById(user.id)).data.user.user_metadata.name, 'Ada')
    const changed = await admin.updateUserById(user.id, { email: newEmail(), ban_duration: '1h' })
    assert.equal(changed.error, null)
    assert.ok(changed.data.user.banned_until)
    const refused = await client().auth.signInWithPassword({ email: changed.data.user.email, password: PASSWORD })
    assert.equal(refused.error.code, 'invalid_credentials')
    const page = await admin.listUsers({ page: 1, perPage: 2 })
    assert.equal(page.data.users.length, 2)
    assert.ok(page.data.total >= 2 && page.data.lastPage >= 1)
    assert.equal((await admin.deleteUser(user.id)).error, null)
    assert.equal((await admin.getUserById(user.id)).error.code, 'user_not_found')
    assert.ok(email)
  })

  test('an invitation, every kind of link, and a sign-out by token', async () => {
    const invited = await admin.inviteUserByEmail(newEmail(), { data: { name: 'New' } })
    assert.ok(invited.data.user.invited_at)
    const { email } = await person()
    for (const type of ['magiclink', 'recovery', 'email_change_current', 'email_change_new']) {
      const { data, error } = await admin.generateLink({ type, email, newEmail: newEmail() })
      assert.equal(error, null)
      assert.equal(data.properties.verification_type, type)
    }
    const { session, supabase } = await signedIn()
    assert.equal((await admin.signOut(session.access_token, 'global')).error, null)
    assert.equal((await supabase.auth.getUser()).error.name, 'AuthSessionMissingError')
  })

  test('factors of a user', async () => {
    const { supabase, user } = await signedIn()
    const { data: factor } = await supabase.auth.mfa.enroll({ factorType: 'totp' })
    const { data } = await admin.mfa.listFactors({ userId: user.id })
    assert.deepEqual(data.factors.map((each) => each.id), [factor.id])
    assert.equal((await admin.mfa.deleteFactor({ userId: user.id, id: factor.id })).error, null)
  })

  test('needs the secret key', async () => {
    const { data, error } = await client().auth.admin.listUsers()
    assert.deepEqual(data.users, [])
    assert.equal(error.code, 'not_admin')
  })
})
