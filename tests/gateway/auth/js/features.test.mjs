// The official JavaScript client drives what is off by default: passkeys, security keys, sign-in at other
// applications, providers that are set up while the server runs. Run by tests/gateway/auth/test_clients_features.py.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { createRequire } from 'node:module'
import { test } from 'node:test'

const require = createRequire(new URL('../../../../supabase-compat/package.json', import.meta.url))
const { createClient } = require('@supabase/supabase-js')

const { GATEWAY_URL, GATEWAY_PUBLISHABLE, GATEWAY_SECRET } = process.env
const PASSWORD = 'tin-lantern-42-river'
const ORIGIN = 'https://app.example.com'
const auth = { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, experimental: { passkey: true } }
const client = (key = GATEWAY_PUBLISHABLE) => createClient(GATEWAY_URL, key, { realtime: { transport: class {} }, auth })
const { admin } = client(GATEWAY_SECRET).auth

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

async function signedIn() {
  const email = `${randomUUID()}@example.com`
  const { user } = good(await admin.createUser({ email, password: PASSWORD, email_confirm: true }))
  const supabase = client()
  good(await supabase.auth.signInWithPassword({ email, password: PASSWORD }))
  return { supabase, user, email }
}

const base64url = (bytes) => Buffer.from(bytes).toString('base64url')
const text = (words) => Buffer.concat([Buffer.from([0x60 + words.length]), Buffer.from(words)])
const bytes = (raw) => Buffer.concat([Buffer.from(raw.length < 256 ? [0x58, raw.length] : [0x59, raw.length >> 8, raw.length & 255]), raw])

/** An authenticator with one key, which answers as a browser passes it on. */
class Authenticator {
  id = randomBytes(16)
  #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  #client(type, challenge) {
    return Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN }))
  }

  #data(rpId, flags) {
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags, 0, 0, 0, 0])])
  }

  create(options) {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const part = (name, value) => Buffer.concat([Buffer.from([name]), bytes(Buffer.from(value, 'base64url'))])
    const cose = Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]), part(0x21, x), part(0x22, y)])
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, cose])
    const data = Buffer.concat([this.#data(options.rp.id, 0x45), attested])
    const attestation = Buffer.concat([
      Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(data),
    ])
    this.handle = options.user.id
    return this.#answer({ clientDataJSON: this.#client('webauthn.create', options.challenge), attestationObject: attestation })
  }

  get(options) {
    const clientDataJSON = this.#client('webauthn.get', options.challenge)
    const authenticatorData = this.#data(options.rpId, 0x05)
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
    const signature = sign('sha256', signed, this.#keys.privateKey)
    const answer = this.#answer({ clientDataJSON, authenticatorData, signature })
    answer.response.userHandle = this.handle
    return answer
  }

  #answer(response) {
    const id = base64url(this.id)
    const shown = Object.fromEntries(Object.entries(response).map(([name, raw]) => [name, base64url(raw)]))
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: shown }
  }
}

/** A credential as the client takes it from a browser: bytes, and a way to write it as JSON. */
function native(credential) {
  const response = Object.fromEntries(
    Object.entries(credential.response).map(([name, value]) => [name, Uint8Array.from(Buffer.from(value, 'base64url')).buffer]),
  )
  return { ...credential, rawId: Buffer.from(credential.rawId, 'base64url'), response, getClientExtensionResults: () => ({}), toJSON: () => credential }
}

/** Options as the client hands them to a browser, as JSON again. */
const plain = (options) => JSON.parse(JSON.stringify(options, (_name, value) => (ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? base64url(value) : value)))

test('passkeys are registered, signed in with, renamed and given up', async () => {
  const { supabase, user } = await signedIn()
  const key = new Authenticator()
  const begun = good(await supabase.auth.passkey.startRegistration())
  const made = good(
    await supabase.auth.passkey.verifyRegistration({ challengeId: begun.challenge_id, credential: key.create(begun.options) }),
  )
  const other = client()
  const asked = good(await other.auth.passkey.startAuthentication())
  const { session } = good(
    await other.auth.passkey.verifyAuthentication({ challengeId: asked.challenge_id, credential: key.get(asked.options) }),
  )
  assert.equal(session.user.id, user.id)
  assert.deepEqual(good(await other.auth.passkey.list()).map((each) => each.id), [made.id])
  assert.equal(good(await other.auth.passkey.update({ passkeyId: made.id, friendlyName: 'Home' })).friendly_name, 'Home')
  assert.equal(good(await admin.passkey.listPasskeys({ userId: user.id })).length, 1)
  assert.equal((await other.auth.passkey.delete({ passkeyId: made.id })).error, null)
  assert.deepEqual(refusal(await other.auth.passkey.delete({ passkeyId: made.id })), [404, 'validation_failed'])
  assert.deepEqual(good(await other.auth.passkey.list()), [])
})

test('a security key is enrolled and lifts the session', async () => {
  const { supabase } = await signedIn()
  const factor = good(await supabase.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' }))
  const key = new Authenticator()
  const rp = { rpId: 'app.example.com', rpOrigins: [ORIGIN] }
  for (const type of ['create', 'request']) {
    const challenge = good(await supabase.auth.mfa.challenge({ factorId: factor.id, webauthn: rp }))
    assert.equal(challenge.webauthn.type, type)
    const options = plain(challenge.webauthn.credential_options.publicKey)
    const credential_response = native(type === 'create' ? key.create(options) : key.get(options))
    const session = good(
      await supabase.auth.mfa.verify({ factorId: factor.id, challengeId: challenge.id, webauthn: { ...rp, type, credential_response } }),
    )
    assert.ok(session.access_token)
  }
  const level = good(await supabase.auth.mfa.getAuthenticatorAssuranceLevel())
  assert.equal(level.currentLevel, 'aal2')
  assert.deepEqual(good(await supabase.auth.mfa.listFactors()).webauthn.map((each) => each.id), [factor.id])
})

test('clients of other applications are kept by the admin', async () => {
  const made = good(await admin.oauth.createClient({ client_name: 'Other', redirect_uris: ['https://client.example/cb'] }))
  assert.ok(made.client_secret)
  const id = made.client_id
  assert.equal(good(await admin.oauth.getClient(id)).client_secret, undefined)
  assert.ok(good(await admin.oauth.listClients({ page: 1, perPage: 10 })).clients.some((each) => each.client_id === id))
  assert.equal(good(await admin.oauth.updateClient(id, { client_name: 'New' })).client_name, 'New')
  assert.notEqual(good(await admin.oauth.regenerateClientSecret(id)).client_secret, made.client_secret)
  assert.equal((await admin.oauth.deleteClient(id)).error, null)
  assert.deepEqual(refusal(await admin.oauth.getClient(id)), [404, 'oauth_client_not_found'])
})

test('a user agrees, and another application gets tokens', async () => {
  const registered = await fetch(`${GATEWAY_URL}/auth/v1/oauth/clients/register`, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://client.example/cb'], token_endpoint_auth_method: 'none' }),
  })
  assert.equal(registered.status, 201)
  const { client_id } = await registered.json()
  const verifier = base64url(randomBytes(48))
  const begin = async () => {
    const query = new URLSearchParams({
      client_id, redirect_uri: 'https://client.example/cb', response_type: 'code', scope: 'openid email', state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
    })
    const gone = await fetch(`${GATEWAY_URL}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' })
    assert.equal(gone.status, 302)
    return new URL(gone.headers.get('location')).searchParams.get('authorization_id')
  }
  const { supabase, user } = await signedIn()
  const waiting = await begin()
  const details = good(await supabase.auth.oauth.getAuthorizationDetails(waiting))
  assert.equal(details.client.id, client_id)
  const agreed = good(await supabase.auth.oauth.approveAuthorization(waiting, { skipBrowserRedirect: true }))
  const code = new URL(agreed.redirect_url).searchParams.get('code')
  const answer = await fetch(`${GATEWAY_URL}/auth/v1/oauth/token`, {
    method: 'POST', body: new URLSearchParams({ grant_type: 'authorization_code', client_id, code, code_verifier: verifier }),
  })
  assert.equal(answer.status, 200)
  const tokens = await answer.json()
  const info = await fetch(`${GATEWAY_URL}/auth/v1/oauth/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  assert.equal((await info.json()).sub, user.id)
  const claims = good(await client().auth.getClaims(tokens.access_token)).claims
  assert.equal(claims.client_id, client_id)
  assert.deepEqual(good(await supabase.auth.oauth.listGrants()).map((each) => each.client.id), [client_id])
  assert.equal((await supabase.auth.oauth.revokeGrant({ clientId: client_id })).error, null)
  const denied = await begin()
  good(await supabase.auth.oauth.getAuthorizationDetails(denied))
  const back = good(await supabase.auth.oauth.denyAuthorization(denied, { skipBrowserRedirect: true }))
  assert.equal(new URL(back.redirect_url).searchParams.get('error'), 'access_denied')
})

test('providers are set up while the server runs', async () => {
  assert.deepEqual(good(await admin.customProviders.listProviders()).providers, [])
  const made = await admin.customProviders.createProvider({
    provider_type: 'oauth2', identifier: 'custom:inner', name: 'Inner', client_id: 'a', client_secret: 'b',
    authorization_url: 'https://127.0.0.1/a', token_url: 'https://127.0.0.1/b', userinfo_url: 'https://127.0.0.1/c',
  })
  assert.deepEqual(refusal(made), [400, 'validation_failed'])
  assert.deepEqual(refusal(await admin.customProviders.getProvider('custom:inner')), [404, 'custom_provider_not_found'])
})
