/**
 * Calls, written once for any client. Each scenario gets a place to make clients and answers with what it saw;
 * scenarios.test.ts runs it with both clients and compares their requests, scenarios.live.ts their results on a live
 * gateway.
 *
 * A `live` scenario touches only the site's tables and functions and cleans up after itself.
 */

import { createHmac, randomUUID } from 'node:crypto'
import type { SupabaseClientOptions } from '../src/index.js'
import { files } from './storage.scenarios.js'
import { authError, type Client, type CreateClient, defaultServer, fakeSession, json, type Server, signedJwt, USER, visibleStorage } from './harness.js'

export type Place = {
  /** A client with the publishable key; nothing is refreshed behind the scenario's back. */
  client: (options?: SupabaseClientOptions<'public'>) => Client
  /** A client with the secret key. */
  service: () => Client
  /** A word that no other run uses. */
  unique: string
  provider: Provider
}

/** Somebody's account elsewhere, at the provider `keycloak`. */
export type Provider = {
  /** Signs in there, as a browser that goes to `address` would, and says where it is sent back to. */
  visit: (address: string) => Promise<URL>
  /** What a native app is given at its sign-in there. */
  idToken: () => Promise<string>
}

/** For scenarios on no live gateway. */
const nobodyElsewhere: Provider = { visit: async () => new URL('https://site.test/?code=c'), idToken: async () => 'an-id-token' }

/** A place on the gateway at `url`: clients made there keep their sessions to themselves. */
export function placeFor(
  create: CreateClient,
  url: string,
  keys: { publishable: string; secret: string },
  fetcher: typeof fetch,
  unique: string,
  provider: Provider = nobodyElsewhere,
): Place {
  const make = (key: string, { auth, global, ...rest }: SupabaseClientOptions<'public'> = {}) =>
    create(url, key, {
      ...rest,
      ...(!rest.accessToken && { auth: { autoRefreshToken: false, storage: visibleStorage(), ...auth } }),
      global: { ...global, fetch: fetcher },
    })
  return { client: (options) => make(keys.publishable, options), service: () => make(keys.secret), unique, provider }
}

export type Scenario = {
  name: string
  /** Runs on a live gateway too, which answers with these statuses. */
  live?: number[]
  server?: Server
  run: (place: Place) => Promise<unknown>
}

const scenario = (name: string, run: Scenario['run'], more: Partial<Scenario> = {}): Scenario => ({ name, run, ...more })
const live = (...statuses: number[]) => ({ live: statuses })

const CARD = 'id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes'

const post = (unique: string, extra: Record<string, unknown> = {}) => ({
  title: `Sharps ${unique}`,
  slug: `sharps-${unique}`,
  content: '<p>Text</p>',
  excerpt: 'Text',
  tags: ['osha', 'sharps'],
  author_name: 'Ada',
  reading_time_minutes: 3,
  published: false,
  ...extra,
})

/** The six digits of an authenticator app now, by RFC 6238. */
function totp(secret: string): string {
  const bits = [...secret].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => parseInt(byte, 2)) ?? [])
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  return String((digest.readUInt32BE(digest[19]! & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

const PASSWORD = 'Correct-horse-7'

/** A confirmed account and a client signed in to it; `leave` removes the account. */
async function resident({ client, service, unique }: Place, name: string, options: SupabaseClientOptions<'public'> = {}) {
  const credentials = { email: `${name}-${unique}@example.test`, password: PASSWORD }
  const { admin } = service().auth
  const id = (await admin.createUser({ ...credentials, email_confirm: true })).data.user?.id ?? ''
  const own = client(options)
  await own.auth.signInWithPassword(credentials)
  return { id, auth: own.auth, admin, credentials, leave: () => admin.deleteUser(id).then(({ error }) => error) }
}

const signedIn = (place: Place, options: SupabaseClientOptions<'public'> = {}) => {
  const client = place.client(options)
  return client.auth.signInWithPassword({ email: 'ada@example.test', password: 'secret' }).then(() => client)
}

/** A stored session that ends in `lifetime` seconds. */
const stored = (lifetime: number, key = 'sb-127-auth-token') => visibleStorage({ [key]: JSON.stringify(fakeSession(lifetime, 'stored')) })

// Made once: a signature differs each time, and both clients must be shown the same.
const claims = { sub: 'u1', role: 'authenticated', exp: 9_999_999_999 }
const signedTokens = Promise.all([signedJwt('ES256', claims), signedJwt('RS256', claims)])

export const reads: Scenario[] = [
  scenario('the public list of posts', async ({ client }) =>
    client()
      .from('blog_posts')
      .select(CARD, { count: 'exact' })
      .eq('published', true)
      .or('title.ilike.%sharps%,excerpt.ilike.%sharps%')
      .contains('tags', ['osha'])
      .order('published_at', { ascending: false })
      .range(0, 9), live(200)),
  scenario('the tags in use', async ({ client }) => client().from('blog_posts').select('tags').eq('published', true), live(200)),
  scenario('a missing article', async ({ client }) =>
    client().from('blog_posts').select('*').eq('slug', 'no-such-article').eq('published', true).single(), live(406)),
  scenario('a missing article, allowed to be', async ({ client }) =>
    client().from('blog_posts').select('*').eq('slug', 'no-such-article').maybeSingle(), live(200)),
  scenario('a count without rows', async ({ client }) =>
    client().from('blog_posts').select('*', { count: 'exact', head: true }).eq('published', true), live(200)),
  scenario('a planned and an estimated count', async ({ client }) => [
    await client().from('blog_posts').select('id', { count: 'planned' }),
    await client().from('blog_posts').select('id', { count: 'estimated' }),
  ]),
  scenario('whitespace and quoted names in a select', async ({ client }) =>
    client().from('blog_posts').select(`
      id,
      "spaced name", label : title
    ` as '*')),
  scenario('a select of everything by default', async ({ client }) => client().from('books').select()),
  scenario('order by several columns and of an embedded table', async ({ client }) =>
    client()
      .from('authors')
      .select('name, books!books_author_id_fkey(title)')
      .order('name')
      .order('born', { ascending: false, nullsFirst: true })
      .order('id', { nullsFirst: false })
      .order('title', { referencedTable: 'books', ascending: false })
      .order('title', { foreignTable: 'b' })
      .limit(3)
      .limit(2, { referencedTable: 'books' })
      .range(4, 9, { foreignTable: 'b' })),
  scenario('every comparison', async ({ client }) =>
    client()
      .from('books')
      .select()
      .eq('title', 'a b&c=d')
      .neq('id', 1)
      .gt('price', 1.5)
      .gte('price', 2)
      .lt('price', 100)
      .lte('price', 99)
      .like('title', '%A%')
      .ilike('title', '*b*')
      .is('price', null)
      .is('title', true as never)
      .isDistinct('price', 3)
      .regexMatch('title', '^a.*$')
      .regexIMatch('title', 'B+')),
  scenario('every list and range', async ({ client }) =>
    client()
      .from('books')
      .select()
      .in('title', ['plain', 'with,comma', 'with(paren', 'with"quote', 'plain'])
      .in('id', [1, 2, 1])
      .notIn('title', ['x', 'y,z'])
      .likeAllOf('title', ['%a%', '%b%'])
      .likeAnyOf('title', ['%a%'])
      .ilikeAllOf('title', ['%a%', '%b%'])
      .ilikeAnyOf('title', ['%a%'])
      .contains('facts', { pages: 3 })
      .contains('facts', ['a', 'b'] as never)
      .contains('during', '[1,2)')
      .containedBy('facts', { pages: 3 })
      .containedBy('during', ['a'])
      .overlaps('during', '[2,4)')
      .overlaps('during', ['a', 'b'])
      .rangeGt('during', '[1,2]')
      .rangeGte('during', '[1,2]')
      .rangeLt('during', '[1,2]')
      .rangeLte('during', '[1,2]')
      .rangeAdjacent('during', '[1,2]')),
  scenario('text search in its four ways', async ({ client }) =>
    client()
      .from('books')
      .select()
      .textSearch('title', 'a & b')
      .textSearch('title', 'a b', { type: 'plain' })
      .textSearch('title', 'a b', { type: 'phrase', config: 'english' })
      .textSearch('title', 'a or b', { type: 'websearch', config: 'english' })),
  scenario('negation, raw filters, matches and alternatives', async ({ client }) =>
    client()
      .from('books')
      .select()
      .not('price', 'is', null)
      .not('title', 'in', '("a","b")')
      .filter('title', 'not.ilike', '%x%')
      .filter('facts->>kind', 'eq', 'novel')
      .match({ id: 1, title: 'a', price: undefined })
      .or('id.eq.2,title.eq.b')
      .or('label.eq.c', { referencedTable: 'tags' })
      .or('label.eq.d', { foreignTable: 'tags' })),
  scenario('filters on embedded tables and inside documents', async ({ client }) =>
    client().from('books').select('id, tags!inner(label)').eq('tags.label', 'x').eq('facts->>kind', 'novel')),
  scenario('other media types', async ({ client }) => [
    await client().from('books').select().csv(),
    await client().from('books').select().geojson(),
    await client().from('books').select().stripNulls(),
    await client().from('books').select().limit(1).single(),
  ]),
  scenario('a single row without its nulls', async ({ client }) => client().from('books').select().stripNulls().single()),
  scenario('plans', async ({ client }) => [
    await client().from('books').select().explain(),
    await client().from('books').select().explain({ analyze: true, verbose: true, settings: true, buffers: true, wal: true }),
    await client().from('books').select().explain({ format: 'json', analyze: true }),
  ]),
  scenario('a header of one request', async ({ client }) =>
    client().from('books').select().setHeader('X-Trace', 'abc').setHeader('Authorization', 'Bearer other')),
  scenario('another schema', async ({ client }) => [
    await client().schema('archive').from('letters').select().overrideTypes<{ body: 'x' }[]>(),
    await client().schema('public').schema('archive').from('letters').select().returns<{ body: 'x' }[]>(),
    await client().schema('archive').from('letters').insert({ body: 'x' }),
    await client({ db: { schema: 'archive' as 'public' } }).from('books').select(),
  ]),
  scenario('an empty relation name', async ({ client }) => {
    try {
      return await client().from(' ' as 'books').select()
    } catch (error) {
      return error
    }
  }),
  scenario('csv refuses to strip nulls', async ({ client }) => {
    const query = client().from('books').select()
    query.csv()
    try {
      return query.stripNulls()
    } catch (error) {
      return error
    }
  }),
  scenario('a query is sent anew each time it is awaited', async ({ client }) => {
    const query = client().from('books').select('id')
    return [await query, await query]
  }),
  scenario('a table can be asked for two things at once', async ({ client }) => {
    const books = client().from('books')
    const [list, count] = [books.select('id').eq('id', 1), books.select('*', { head: true, count: 'exact' })]
    return [await list, await count]
  }),
]

export const writes: Scenario[] = [
  scenario('a post through its life', async ({ service, unique }) => {
    const posts = () => service().from('blog_posts')
    const created = await posts().insert(post(unique)).select().single()
    const seen = [
      created,
      await posts().select('id, title, slug, excerpt, published, author_name, published_at, created_at, tags').eq('slug', `sharps-${unique}`),
      await posts().insert(post(unique)),
      await posts().update({ published: true, published_at: '2026-02-03T04:05:06Z' }).eq('slug', `sharps-${unique}`).select('published, published_at'),
      await posts().select('id').eq('slug', `sharps-${unique}`).single(),
      await posts().update({ title: 'Other' }, { count: 'exact' }).eq('slug', `sharps-${unique}`),
      await posts().delete({ count: 'exact' }).eq('slug', `sharps-${unique}`),
      await posts().delete().eq('slug', `sharps-${unique}`).select('id'),
    ]
    return seen
  }, live(201, 200, 409, 200, 200, 204, 204, 200)),
  scenario('an anonymous insert', async ({ client, unique }) => client().from('blog_posts').insert(post(unique)), live(401)),
  scenario('inserts of one, of many, of none', async ({ client }) => [
    await client().from('books').insert({ title: 'a', author_id: 1 }),
    await client().from('books').insert([{ title: 'a', author_id: 1 }, { title: 'b', author_id: 2, price: 3 }], { count: 'exact' }),
    await client().from('books').insert([], { defaultToNull: false }),
    await client().from('books').insert([{ title: 'a', author_id: 1 }], { defaultToNull: false, count: 'planned' }).select('id'),
  ]),
  scenario('a bigint is sent as its digits', async ({ client }) =>
    client().from('books').insert({ title: 'a', author_id: 9007199254740993n as unknown as number })),
  scenario('upserts', async ({ client }) => [
    await client().from('tags').upsert({ id: 1, label: 'a' }),
    await client().from('tags').upsert([{ id: 1, label: 'a' }], { onConflict: 'id,label', ignoreDuplicates: true, count: 'exact' }),
    await client().from('tags').upsert([{ label: 'a' }], { defaultToNull: false }).select(),
  ]),
  scenario('updates and deletes with limits', async ({ client }) => [
    await client().from('tags').update({ label: 'b' }, { count: 'estimated' }).eq('id', 1).maxAffected(2),
    await client().from('tags').delete().eq('id', 1).maxAffected(1).rollback(),
    await client().from('tags').delete({ count: 'exact' }).eq('id', 1).select('id').maybeSingle(),
  ]),
]

export const procedures: Scenario[] = [
  scenario('a function by POST', async ({ client }) => client().rpc('add', { a: 1, b: 2 })),
  scenario('a function without arguments', async ({ client }) => client().rpc('book_count')),
  scenario('a function by GET', async ({ client }) =>
    client().rpc('statistics', { since: '2026-01-01', tags: ['a', 'b'] }, { get: true }).limit(3)),
  scenario('a function leaves undefined arguments out of the address', async ({ client }) =>
    client().rpc('statistics', { since: 'x', tags: undefined as never }, { get: true })),
  scenario('a function by HEAD', async ({ client }) => client().rpc('add', { a: 1, b: 2 }, { head: true, count: 'exact' })),
  scenario('a HEAD whose arguments need a body', async ({ client }) => [
    await client().rpc('statistics', { since: 'x', tags: [{}] as never }, { head: true, count: 'exact' }),
    await client().rpc('statistics', { since: {} as never }, { head: true }),
  ]),
  scenario('rows of a function, filtered and chosen', async ({ client }) =>
    client().rpc('cheap_books', { below: 5 }, { count: 'exact' }).select('id, title').eq('id', 1).order('title').limit(1)),
  scenario('a function of another schema', async ({ client }) =>
    client().schema('archive').rpc('anything' as never, { a: 1 } as never)),
]

/** `first` to the first attempt of a request, `later` to its repetitions. */
const once = (first: () => Response, later: () => Response): Server => ({ headers }) => (headers['x-retry-count'] ? later() : first())

const unavailable = (status: number, retryAfter?: string) => () =>
  new Response('busy', { status, statusText: 'Busy', ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }) })

export const failures: Scenario[] = [
  scenario('an error of the database', async ({ client }) => client().from('books').select('nope'), {
    server: () => json({ code: '42703', details: null, hint: null, message: 'column books.nope does not exist' }, { status: 400, statusText: 'Bad Request' }),
  }),
  scenario('an error that is no JSON', async ({ client }) => client().from('books').select(), {
    server: () => new Response('<html>bad gateway</html>', { status: 502, statusText: 'Bad Gateway' }),
  }),
  scenario('an unreadable success', async ({ client }) => client().from('books').select(), {
    server: () => new Response('<html>login</html>', { status: 200, statusText: 'OK' }),
  }),
  scenario('a 404 with an empty list, and one with nothing', async ({ client }) => [
    await client().from('books').select('id'),
    await client().from('books').delete().eq('id', 1),
  ], { server: ({ method }) => (method === 'GET' ? json([], { status: 404 }) : new Response('', { status: 404 })) }),
  scenario('several rows where at most one may be', async ({ client }) => client().from('books').select().maybeSingle()),
  scenario('no row where one may be', async ({ client }) => client().from('books').select().maybeSingle(), { server: () => json([]) }),
  scenario('a thrown error', async ({ client }) => {
    try {
      return await client().from('books').select().throwOnError()
    } catch (error) {
      return error
    }
  }, { server: () => json({ code: 'PGRST205', details: 'd', hint: 'h', message: 'no table' }, { status: 404 }) }),
  scenario('a thrown unreadable success', async ({ client }) => {
    try {
      return await client().from('books').select().throwOnError()
    } catch (error) {
      return error
    }
  }, { server: () => new Response('<html>', { status: 200 }) }),
  scenario('a read is repeated after 503', async ({ client }) => client().from('books').select(), { server: once(unavailable(503), () => json([])) }),
  scenario('a read is repeated after 520, when the server says', async ({ client }) => client().from('books').select('*', { head: true }), {
    server: once(unavailable(520, '7'), () => json([])),
  }),
  scenario('a read is given up after three repetitions', async ({ client }) => client().from('books').select(), { server: unavailable(503, '0') }),
  scenario('a read is not repeated when told so', async ({ client }) => client().from('books').select().retry(false), { server: unavailable(503) }),
  scenario('a write is never repeated', async ({ client }) => [
    await client().from('tags').insert({ label: 'a' }),
    await client().from('tags').update({ label: 'b' }).eq('id', 1),
    await client().from('tags').delete().eq('id', 1),
    await client().rpc('add', { a: 1, b: 2 }),
  ], { server: unavailable(503) }),
  scenario('other failures of the infrastructure are not repeated', async ({ client }) => client().from('books').select(), { server: unavailable(502) }),
  scenario('a read is repeated when no answer came', async ({ client }) => client().from('books').select(), {
    server: once(() => {
      throw new TypeError('fetch failed')
    }, () => json([])),
  }),
  scenario('an aborted request', async ({ client }) => {
    const controller = new AbortController()
    const query = client().from('books').select().abortSignal(controller.signal)
    const sent = Promise.resolve(query)
    controller.abort()
    const { error, ...rest } = await sent
    return { ...rest, message: error?.message, hint: error?.hint, code: error?.code }
  }, { server: () => new Promise(() => {}) }),
  scenario('a request that took too long', async ({ client }) => {
    const { error, ...rest } = await client({ db: { timeout: 50 } }).from('books').select()
    return { ...rest, message: error?.message, hint: error?.hint, code: error?.code }
  }, { server: () => new Promise(() => {}) }),
  scenario('a write that got no answer', async ({ client }) => {
    const { error, ...rest } = await client().from('tags').insert({ label: 'a' })
    return { ...rest, message: error?.message, hint: error?.hint, code: error?.code }
  }, {
    server: () => {
      throw new TypeError('fetch failed')
    },
  }),
]

/** Of one user with two factors. */
const factorServer: Server = ({ method, url }) => {
  if (url.endsWith('/factors') && method === 'POST') return json({ id: USER.id, type: 'totp', totp: { qr_code: '<svg/>', secret: 'S', uri: 'otpauth:' } })
  if (url.endsWith('/factors')) return json([{ id: USER.id }])
  if (url.endsWith('/challenge')) return json({ id: 'c1', type: 'totp', expires_at: 1 })
  if (url.endsWith('/verify') || url.includes('/token')) return json(fakeSession())
  if (url.endsWith('/user')) return json({ id: 'u', factors: [{ id: 'f1', factor_type: 'totp', status: 'verified' }, { id: 'f2', factor_type: 'phone', status: 'unverified' }] })
  return json({ ...USER, method })
}

export const sessions: Scenario[] = [
  scenario('sign in, look, sign out', async ({ client, service, unique }) => {
    const email = `${unique}@example.test`
    const password = 'Correct-horse-7'
    const created = await service().auth.admin.createUser({ email, password, email_confirm: true })
    const id = created.data.user?.id ?? ''
    const visitor = client()
    const events: string[] = []
    visitor.auth.onAuthStateChange((event) => void events.push(event))
    const before = await visitor.auth.getSession()
    const entered = await visitor.auth.signInWithPassword({ email, password })
    const user = await visitor.auth.getUser()
    const roles = await visitor.from('user_roles').select('role').eq('user_id', id).eq('role', 'admin').maybeSingle()
    const renewed = await visitor.auth.refreshSession()
    const left = await visitor.auth.signOut()
    const after = await visitor.auth.getUser()
    const removed = await service().auth.admin.deleteUser(id)
    const same = entered.data.user?.id === renewed.data.user?.id
    return { before, entered: entered.error, user: user.data.user?.email, roles, renewed: renewed.error, same, left, after, removed: removed.error, events }
  }, live(200, 200, 200, 200, 200, 204, 200)),
  scenario('an account through its life', async ({ client, service, unique }) => {
    const { admin } = service().auth
    const credentials = { email: `${unique}@example.test`, password: 'Correct-horse-7' }
    const id = (await admin.createUser({ ...credentials, email_confirm: true })).data.user?.id ?? ''
    const { auth } = client()
    const session = (await auth.signInWithPassword(credentials)).data.session!
    const changed = await auth.updateUser({ data: { name: 'Ada' }, password: 'Battery-staple-8' })
    const claims = await auth.getClaims()
    const elsewhere = client()
    const taken = await elsewhere.auth.setSession(session)
    const enrolled = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
    const factors = await auth.mfa.listFactors()
    const level = await auth.mfa.getAuthenticatorAssuranceLevel()
    const removed = await auth.mfa.unenroll({ factorId: enrolled.data?.id ?? '' })
    const banned = await admin.updateUserById(id, { ban_duration: '1h' })
    const refused = await client().auth.signInWithPassword({ ...credentials, password: 'Battery-staple-8' })
    const found = await admin.getUserById(id)
    const deleted = await admin.deleteUser(id)
    const missing = await admin.getUserById(id)
    return {
      name: changed.data.user?.user_metadata.name,
      claims: [claims.error, claims.data?.claims.sub === id, claims.data?.claims.role],
      taken: [taken.error, taken.data.user?.email],
      factors: [enrolled.error, enrolled.data?.totp?.qr_code.startsWith('data:image/svg+xml'), factors.data?.all.length, level.data?.nextLevel],
      removed: removed.error,
      banned: banned.error,
      refused: refused.error,
      found: found.data.user?.email,
      deleted: deleted.error,
      missing: missing.error,
    }
  }, live(200, 200, 200, 200, 200, 200, 200, 200, 200, 400, 200, 200, 404)),
  scenario('the life of a client', async ({ client }) => {
    const { auth } = client()
    const events: string[] = []
    const initialized = await auth.initialize()
    auth.onAuthStateChange((event) => void events.push(event))
    await auth.startAutoRefresh()
    await auth.stopAutoRefresh()
    await auth.getSession()
    await auth.dispose()
    await auth.signInWithPassword({ email: 'a@example.test', password: 'p' })
    return [initialized, Boolean(auth.isThrowOnErrorEnabled()), events]
  }, live(400)),
  scenario('a wrong password', async ({ client }) =>
    client().auth.signInWithPassword({ email: 'nobody@example.test', password: 'wrong' }), {
    live: [400],
    server: () => authError(400, 'invalid_credentials', 'Invalid login credentials'),
  }),
  scenario('requests carry the token of the session', async (place) => {
    const client = await signedIn(place)
    return [await client.from('books').select('id'), await client.functions.invoke('hello'), await client.rpc('book_count')]
  }),
  scenario('sign-out in each scope', async (place) => {
    const seen = []
    for (const scope of ['global', 'local', 'others'] as const) {
      const client = await signedIn(place)
      seen.push(await client.auth.signOut({ scope }), (await client.auth.getSession()).data.session === null)
    }
    return seen
  }),
  scenario('sign-out without a session', async ({ client }) => client().auth.signOut()),
  ...[401, 403, 404, 422].map((status) =>
    scenario(`sign-out answered with ${status}`, async (place) => {
      const client = await signedIn(place)
      return [await client.auth.signOut(), (await client.auth.getSession()).data.session === null]
    }, { server: ({ url }) => (url.includes('/logout') ? authError(status, 'x', 'No') : json(fakeSession())) }),
  ),
  scenario('sign-up by mail and by phone', async ({ client }) => [
    await client().auth.signUp({ email: 'a@example.test', password: 'p' }),
    await client().auth.signUp({ email: 'a@example.test', password: 'p', options: { data: { a: 1 }, captchaToken: 'c', emailRedirectTo: 'https://x.test/?a=1&b=2' } }),
    await client().auth.signUp({ phone: '+1', password: 'p', options: { channel: 'whatsapp' } }),
    await client().auth.signInAnonymously({ options: { data: { b: 2 } } }),
    await client().auth.signInAnonymously(),
  ]),
  scenario('sign-up that must be confirmed', async ({ client }) => client().auth.signUp({ email: 'a@example.test', password: 'p' }), {
    server: () => json({ id: 'u1', email: 'a@example.test' }),
  }),
  scenario('a password that is too weak', async ({ client }) => client().auth.signUp({ email: 'a@example.test', password: 'p' }), {
    server: () => json({ code: 'weak_password', message: 'Too short', weak_password: { reasons: ['length'] } }, { status: 422, headers: { 'X-Supabase-Api-Version': '2024-01-01' } }),
  }),
  scenario('sign-in with a password that has become weak', async ({ client }) =>
    client().auth.signInWithPassword({ email: 'a@example.test', password: 'p', options: { captchaToken: 'c' } }), {
    server: () => json({ ...fakeSession(), weak_password: { reasons: ['pwned'], message: 'Leaked' } }),
  }),
  scenario('sign-in by phone, and an answer without a session', async ({ client }) => client().auth.signInWithPassword({ phone: '+1', password: 'p' }), {
    server: () => json({ user: { id: 'u' } }),
  }),
  scenario('errors in the shapes of older servers', async ({ client }) => client().auth.signInWithPassword({ email: 'a', password: 'p' }), {
    server: () => json({ error: 'invalid_grant', error_description: 'Invalid login credentials' }, { status: 400 }),
  }),
  scenario('errors with a code beside the status', async ({ client }) => client().auth.signInWithPassword({ email: 'a', password: 'p' }), {
    server: () => json({ code: 429, error_code: 'over_request_rate_limit', msg: 'Slow down' }, { status: 429 }),
  }),
  scenario('a failure of the infrastructure while signing in', async ({ client }) => client().auth.signInWithPassword({ email: 'a', password: 'p' }), {
    server: () => new Response('x', { status: 502 }),
  }),
  scenario('one-time codes', async ({ client }) => [
    await client().auth.signInWithOtp({ email: 'a@example.test', options: { shouldCreateUser: false, emailRedirectTo: 'https://x.test' } }),
    await client().auth.signInWithOtp({ phone: '+1', options: { data: { a: 1 } } }),
    await client().auth.verifyOtp({ email: 'a@example.test', token: '1', type: 'email', options: { redirectTo: 'https://x.test', captchaToken: 'c' } }),
    await client().auth.verifyOtp({ token_hash: 'h', type: 'recovery' }),
    await client().auth.resend({ type: 'signup', email: 'a@example.test' }),
    await client().auth.resend({ type: 'sms', phone: '+1' }),
  ]),
  scenario('a forgotten password, and a new one', async (place) => {
    const client = await signedIn(place)
    return [
      await client.auth.resetPasswordForEmail('a@example.test', { redirectTo: 'https://x.test/new', captchaToken: 'c' }),
      await client.auth.reauthenticate(),
      await client.auth.updateUser({ password: 'new', nonce: '123' }),
      await client.auth.updateUser({ email: 'b@example.test', data: { a: 1 } }, { emailRedirectTo: 'https://x.test' }),
    ]
  }),
  scenario('calls that need a session, without one', async ({ client }) => [
    await client().auth.getUser(),
    await client().auth.updateUser({ password: 'x' }),
    await client().auth.reauthenticate(),
    await client().auth.refreshSession(),
    await client().auth.getClaims(),
    await client().auth.setSession({ access_token: '', refresh_token: '' }),
    await client().auth.mfa.getAuthenticatorAssuranceLevel(),
  ]),
  scenario('a code challenge ties mails to this browser', async ({ client }) => {
    const storage = visibleStorage()
    const { auth } = client({ auth: { flowType: 'pkce', storage } })
    const results = [
      await auth.signUp({ email: 'a@example.test', password: 'p' }),
      await auth.signInWithOtp({ email: 'a@example.test' }),
      await auth.resend({ type: 'signup', email: 'a@example.test' }),
      await auth.resetPasswordForEmail('a@example.test'),
    ]
    const waiting = { ...storage.items }
    return [...results, waiting, await auth.exchangeCodeForSession('code'), Object.keys(storage.items)]
  }, { server: ({ url }) => json(url.includes('grant_type=pkce') ? fakeSession() : {}) }),
  scenario('a code without its verifier', async ({ client }) => {
    const { data, error } = await client({ auth: { flowType: 'pkce' } }).auth.exchangeCodeForSession('code')
    return [data, error?.name, error?.code, error?.status]
  }),
  scenario('providers', async ({ client }) => [
    await client().auth.signInWithOAuth({ provider: 'github', options: { redirectTo: 'https://x.test/?a=1', scopes: 'a b', queryParams: { prompt: 'login' } } }),
    await client({ auth: { flowType: 'pkce' } }).auth.signInWithOAuth({ provider: 'google' }),
    await client().auth.signInWithIdToken({ provider: 'google', token: 't', nonce: 'n' }),
    await client().auth.signInWithSSO({ domain: 'example.test', options: { redirectTo: 'https://x.test', captchaToken: 'c' } }),
    await client().auth.signInWithSSO({ providerId: 'p1' }),
  ]),
  scenario('sign-in at a provider and back', async ({ client, service, provider }) => {
    const { auth } = client({ auth: { flowType: 'pkce' } })
    const { data } = await auth.signInWithOAuth({ provider: 'keycloak', options: { redirectTo: 'http://127.0.0.1:54321/in', skipBrowserRedirect: true } })
    const back = await provider.visit(data.url ?? '')
    const entered = await auth.exchangeCodeForSession(back.searchParams.get('code') ?? '')
    const { data: found } = await auth.getUserIdentities()
    const removed = await service().auth.admin.deleteUser(entered.data.user?.id ?? '')
    return [entered.error, entered.data.session?.provider_token, found?.identities.map((each) => each.provider), removed.error]
  }, live(200, 200, 200)),
  scenario('an ID token for a session', async ({ client, service, provider }) => {
    const { data, error } = await client().auth.signInWithIdToken({ provider: 'keycloak', token: await provider.idToken() })
    const refused = await client().auth.signInWithIdToken({ provider: 'keycloak', token: 'no.id.token' })
    const removed = await service().auth.admin.deleteUser(data.user?.id ?? '')
    return [error, data.user?.app_metadata, refused.error?.name, removed.error]
  }, live(200, 400, 200)),
  scenario('an identity is linked and given up', async (place) => {
    const { auth, leave } = await resident(place, 'linking')
    const gone = await auth.linkIdentity({ provider: 'keycloak', options: { redirectTo: 'http://127.0.0.1:54321/in', skipBrowserRedirect: true } })
    await place.provider.visit(gone.data.url ?? '')
    const { data } = await auth.getUserIdentities()
    const extra = data?.identities?.find((each) => each.provider === 'keycloak')
    const given = await auth.unlinkIdentity(extra ?? { id: 'i', user_id: 'u', identity_id: 'i1', provider: 'keycloak' })
    const again = await auth.linkIdentity({ provider: 'keycloak', token: await place.provider.idToken() })
    return [gone.error, data?.identities?.map((each) => each.provider), given.error, again.error, await leave()]
  }, live(200, 200, 200, 200, 200, 200, 200)),
  scenario('an account is asked for and confirmed', async ({ client, service, unique }) => {
    const { admin } = service().auth
    const visitor = client().auth
    const credentials = { email: `asked-${unique}@example.test`, password: PASSWORD }
    const asked = await visitor.signUp({ ...credentials, options: { data: { name: 'Ada' } } })
    const again = await visitor.resend({ type: 'signup', email: credentials.email })
    const early = await visitor.signInWithPassword(credentials)
    const link = await admin.generateLink({ type: 'signup', ...credentials })
    const confirmed = await visitor.verifyOtp({ token_hash: link.data.properties?.hashed_token ?? '', type: 'signup' })
    const code = await visitor.signInWithOtp({ email: credentials.email, options: { shouldCreateUser: false } })
    const forgotten = await visitor.resetPasswordForEmail(credentials.email)
    const proof = await visitor.reauthenticate()
    const weak = await visitor.updateUser({ password: 'short' })
    const removed = await admin.deleteUser(confirmed.data.user?.id ?? '')
    const results = [asked, again, early, link, confirmed, code, forgotten, proof, weak, removed]
    return [results.map(({ error }) => error), asked.data.session, confirmed.data.user?.user_metadata.name]
  }, live(200, 200, 400, 200, 200, 200, 200, 200, 422, 200)),
  scenario('nobody by name', async ({ client, service }) => {
    const { auth } = client()
    const { data, error } = await auth.signInAnonymously({ options: { data: { basket: 2 } } })
    const removed = await service().auth.admin.deleteUser(data.user?.id ?? '')
    return [error, data.user?.is_anonymous, data.user?.user_metadata.basket, removed.error]
  }, live(200, 200)),
  scenario('a second factor in use', async (place) => {
    const { auth, id, admin, leave } = await resident(place, 'factors')
    const enrolled = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
    const factorId = enrolled.data?.id ?? ''
    const challenge = await auth.mfa.challenge({ factorId })
    const wrong = await auth.mfa.verify({ factorId, challengeId: challenge.data?.id ?? '', code: 'x' })
    const right = await auth.mfa.challengeAndVerify({ factorId, code: totp(enrolled.data?.totp?.secret ?? '') })
    const level = await auth.mfa.getAuthenticatorAssuranceLevel()
    const listed = await admin.mfa.listFactors({ userId: id })
    const taken = await admin.mfa.deleteFactor({ id: factorId, userId: id })
    const left = await auth.mfa.listFactors()
    return [challenge.error, wrong.error, right.error, level.data?.currentLevel, listed.data?.factors.length, taken.error, left.data?.all.length, await leave()]
  }, { live: [200, 200, 200, 200, 422, 200, 200, 200, 200, 200, 200], server: factorServer }),
  scenario('invitations, links and a sign-out from outside', async (place) => {
    const { auth, admin, credentials, leave } = await resident(place, 'guest')
    const invited = await admin.inviteUserByEmail(`invited-${place.unique}@example.test`, { data: { name: 'Ada' } })
    const uninvited = await admin.deleteUser(invited.data.user?.id ?? '')
    const kinds = []
    for (const type of ['magiclink', 'recovery'] as const)
      kinds.push((await admin.generateLink({ type, email: credentials.email })).data.properties?.verification_type)
    const page = await admin.listUsers({ page: 1, perPage: 1 })
    const { data } = await auth.getSession()
    const ended = await admin.signOut(data.session?.access_token ?? '', 'global')
    const after = await auth.getUser()
    return [invited.error, uninvited.error, kinds, page.error, page.data.users?.length, ended.error, after.error?.name, await leave()]
  }, {
    live: [200, 200, 200, 200, 200, 200, 200, 204, 403, 200],
    server: (request) => {
      if (request.url.includes('/admin/users?')) return json({ users: [USER], aud: 'authenticated' })
      return request.url.includes('/invite') || request.url.includes('/generate_link') ? json(USER) : defaultServer(request)
    },
  }),
  scenario('identities', async (place) => {
    const client = await signedIn(place)
    return [
      await client.auth.getUserIdentities(),
      await client.auth.linkIdentity({ provider: 'github', options: { redirectTo: 'https://x.test' } }),
      await client.auth.linkIdentity({ provider: 'google', token: 't' }),
      await client.auth.unlinkIdentity({ id: 'i', user_id: 'u', identity_id: 'i1', provider: 'github' }),
    ]
  }),
  scenario('second factors', async (place) => {
    const { mfa } = (await signedIn(place)).auth
    return [
      await mfa.enroll({ factorType: 'totp', friendlyName: 'Phone', issuer: 'UMW' }),
      await mfa.enroll({ factorType: 'phone', phone: '+1' }),
      await mfa.challenge({ factorId: 'f1' }),
      await mfa.verify({ factorId: 'f1', challengeId: 'c1', code: '123456' }),
      await mfa.challengeAndVerify({ factorId: 'f1', code: '123456' }),
      await mfa.unenroll({ factorId: 'f1' }),
      await mfa.listFactors(),
      await mfa.getAuthenticatorAssuranceLevel(),
    ]
  }, { server: factorServer }),
  scenario('accounts', async ({ service }) => {
    const id = '6f1f3f0e-8a0c-4d4e-9a55-0c2a2d1d9b11'
    const { admin } = service().auth
    return [
      await admin.createUser({ email: 'a@example.test', password: 'p', email_confirm: true, user_metadata: { a: 1 } }),
      await admin.getUserById(id),
      await admin.updateUserById(id, { ban_duration: '24h' }),
      await admin.deleteUser(id),
      await admin.deleteUser(id, true),
      await admin.inviteUserByEmail('a@example.test', { data: { a: 1 }, redirectTo: 'https://x.test' }),
      await admin.generateLink({ type: 'recovery', email: 'a@example.test', options: { redirectTo: 'https://x.test' } }),
      await admin.generateLink({ type: 'email_change_new', email: 'a@example.test', newEmail: 'b@example.test' }),
      await admin.mfa.listFactors({ userId: id }),
      // The official client wraps this data in a second result, against its own types.
      (await admin.mfa.deleteFactor({ id, userId: id })).error,
      await admin.signOut('a.b.c', 'others'),
    ]
  }),
  scenario('pages of accounts', async ({ service }) => [
    await service().auth.admin.listUsers({ page: 2, perPage: 5 }),
    await service().auth.admin.listUsers(),
  ], {
    server: () => json({ users: [], aud: 'authenticated' }, {
      headers: { 'X-Total-Count': '12', Link: '</admin/users?page=3&per_page=5>; rel="next", </admin/users?page=3&per_page=5>; rel="last"' },
    }),
  }),
  scenario('a session is renewed before it is used', async ({ client }) => {
    const storage = stored(60)
    const { data, error } = await client({ auth: { storage } }).auth.getSession()
    return [data.session?.refresh_token, error, JSON.parse(storage.items['sb-127-auth-token']!).refresh_token]
  }, { server: () => json(fakeSession(3600, 'fresh')) }),
  scenario('a stored session that ends later is used as it is', async ({ client }) =>
    client({ auth: { storage: stored(600) } }).from('books').select('id')),
  scenario('a refusal keeps a session whose token still works', async ({ client }) => {
    const storage = stored(60)
    const { data, error } = await client({ auth: { storage } }).auth.getSession()
    return [data.session?.refresh_token, error, Object.keys(storage.items)]
  }, { server: () => authError(400, 'refresh_token_not_found', 'Invalid Refresh Token') }),
  scenario('a refusal ends a session whose token has run out', async ({ client }) => {
    const storage = stored(-10)
    const events: string[] = []
    const { auth } = client({ auth: { storage } })
    auth.onAuthStateChange((event) => void events.push(event))
    const { data, error } = await auth.getSession()
    return [data, error, Object.keys(storage.items), events]
  }, { server: () => authError(400, 'refresh_token_not_found', 'Invalid Refresh Token') }),
  scenario('what is stored but no session is removed', async ({ client }) => {
    const storage = visibleStorage({ 'sb-127-auth-token': '{"a":1}' })
    return [await client({ auth: { storage } }).auth.getSession(), Object.keys(storage.items)]
  }),
  scenario('what is stored but unreadable is left alone', async ({ client }) => {
    const storage = visibleStorage({ 'sb-127-auth-token': 'base64-xx' })
    return [await client({ auth: { storage } }).auth.getSession(), Object.keys(storage.items)]
  }),
  scenario('what is stored at sign-in', async (place) => {
    const storage = visibleStorage()
    await signedIn(place, { auth: { storage } })
    return storage.items
  }),
  scenario('a session under another key', async (place) => {
    const storage = visibleStorage()
    await signedIn(place, { auth: { storage, storageKey: 'mine' } })
    return Object.keys(storage.items)
  }),
  scenario('a session from elsewhere', async ({ client }) => {
    const { access_token, refresh_token } = fakeSession()
    const given = await client().auth.setSession({ access_token, refresh_token })
    const expired = fakeSession(-5)
    const renewed = await client().auth.setSession({ access_token: expired.access_token, refresh_token: 'r' })
    return [given, renewed]
  }),
  scenario('claims of a token signed with the shared secret', async ({ client }) => {
    const token = fakeSession().access_token
    return [
      await client().auth.getClaims(token),
      await client().auth.getClaims('x'),
      await client().auth.getClaims(fakeSession(-5).access_token),
      await client().auth.getClaims(fakeSession(-5).access_token, { allowExpired: true }),
    ]
  }),
  scenario('claims of tokens signed with a key pair', async ({ client }) => {
    const { auth } = client()
    const [elliptic, rsa] = await signedTokens
    const [header, , signature] = elliptic.token.split('.')
    const forged = `${header}.${Buffer.from('{"sub":"someone else","exp":9999999999}').toString('base64url')}.${signature}`
    return [
      await auth.getClaims(elliptic.token),
      await auth.getClaims(elliptic.token),
      await auth.getClaims(rsa.token),
      await auth.getClaims(forged),
      await auth.getClaims(rsa.token, { keys: [rsa.key] }),
      await auth.getClaims(rsa.token, { jwks: { keys: [rsa.key] } }),
    ]
  }, {
    server: async ({ url }) => json(url.endsWith('/jwks.json') ? { keys: [(await signedTokens)[0].key] } : USER),
  }),
  scenario('a session that has ended on the server', async (place) => {
    const storage = visibleStorage()
    const client = await signedIn(place, { auth: { storage } })
    return [await client.auth.getUser(), Object.keys(storage.items)]
  }, { server: ({ url }) => (url.endsWith('/user') ? authError(403, 'session_not_found', 'Gone') : json(fakeSession())) }),
  scenario('errors are thrown where asked for', async ({ client }) => {
    const { auth } = client({ auth: { throwOnError: true } })
    const seen = [auth.isThrowOnErrorEnabled()] as unknown[]
    for (const call of [() => auth.signInWithPassword({ email: 'a', password: 'b' }), () => auth.updateUser({}), () => auth.getClaims('x')])
      seen.push(await call().catch((error: unknown) => error))
    return seen
  }, { server: () => authError(400, 'invalid_credentials', 'Invalid login credentials') }),
  scenario('tokens of another identity provider', async ({ client }) => {
    const other = client({ accessToken: async () => 'their-token' })
    const none = client({ accessToken: async () => null })
    return [await other.from('books').select('id'), await none.from('books').select('id')]
  }),
  scenario('headers and storage of the whole client', async ({ client }) => {
    const own = client({ global: { headers: { Authorization: 'Bearer mine', 'X-App': 'a' } } })
    return [await own.from('books').select('id'), await own.auth.getUser(), await own.functions.invoke('hello')]
  }),
]

export const invocations: Scenario[] = [
  scenario('the newsletter form', async ({ client, unique }) =>
    client().functions.invoke('submit-newsletter', {
      body: { firstName: 'Ada', lastName: 'Lovelace', email: `${unique}@example.test`, honeypot: '' },
      headers: { 'idempotency-key': randomUUID() },
    }), live(200)),
  scenario('the contact form', async ({ client, unique }) =>
    client().functions.invoke('submit-contact', {
      body: { name: 'Ada', email: `${unique}@example.test`, phone: '', company: '', subject: 'Pickup', message: 'Hello', priority: 'normal', honeypot: '' },
      headers: { 'idempotency-key': randomUUID() },
    }), live(200)),
  scenario('a form that is not filled in', async ({ client }) => {
    const { data, error } = await client().functions.invoke('submit-contact', { body: {}, headers: { 'idempotency-key': randomUUID() } })
    return { data, name: error?.name, message: error?.message, status: error?.context?.status, body: error && (await error.context.json()) }
  }, { live: [422], server: () => json({ ok: false, error: 'Please fill in the form' }, { status: 422 }) }),
  scenario('a function that does not exist', async ({ client }) => {
    const { data, error } = await client().functions.invoke('no-such-function', { body: {} })
    return { data, name: error?.name, message: error?.message, status: error?.context?.status }
  }, { live: [404], server: () => json({ code: 'NOT_FOUND', message: 'Requested function was not found' }, { status: 404 }) }),
  scenario('bodies of every kind', async ({ client }) => {
    const { functions } = client()
    const form = new FormData()
    form.set('a', '1')
    const bodies = [undefined, null, '', 0, false, true, 5, 'text', { a: [1] }, [1, 2], new Uint8Array([1, 2]), new URLSearchParams('a=1'), form, new Blob(['abc']), new ArrayBuffer(2)]
    const seen = []
    for (const body of bodies) seen.push(await functions.invoke('hello', { body: body as never }))
    for (const body of bodies)
      seen.push(await functions.invoke('hello', { body: body as never, headers: { 'content-type': 'application/x-own' } }))
    return seen
  }),
  scenario('methods, paths, regions and headers', async ({ client }) => {
    const { functions } = client({ global: { headers: { 'X-App': 'a', 'X-Both': 'client' } } })
    return [
      await functions.invoke('hello/there?x=1', { method: 'GET' }),
      await functions.invoke('hello', { method: 'PUT', body: { a: 1 }, headers: { 'X-Both': 'call' } }),
      await functions.invoke('hello', { method: 'DELETE', region: 'us-east-1' }),
      await functions.invoke('hello', { region: 'any' }),
      await functions.invoke('hello', { headers: { Authorization: 'Bearer own', apikey: 'own' } }),
    ]
  }),
  scenario('a token set for functions', async ({ client }) => {
    const own = client()
    own.functions.setAuth('token')
    return [await own.functions.invoke('hello'), await own.from('books').select('id')]
  }),
  scenario('a relay that failed', async ({ client }) => client().functions.invoke('hello'), {
    server: () => json({}, { status: 200, headers: { 'x-relay-error': 'true' } }),
  }),
  scenario('a function that cannot be reached', async ({ client }) => client().functions.invoke('hello'), {
    server: () => {
      throw new TypeError('fetch failed')
    },
  }),
  scenario('a function that takes too long', async ({ client }) => client().functions.invoke('hello', { timeout: 50 }), { server: () => new Promise(() => {}) }),
  scenario('a function whose caller gave up', async ({ client }) => {
    const controller = new AbortController()
    const call = client().functions.invoke('hello', { signal: controller.signal, timeout: 5000 })
    setTimeout(() => controller.abort(), 10)
    return call
  }, { server: () => new Promise(() => {}) }),
  ...['text/plain', 'TEXT/HTML; charset=utf-8', 'application/json; charset=utf-8', 'application/problem+json', 'text/event-stream'].map((type) =>
    scenario(`an answer of type ${type}`, async ({ client }) => client().functions.invoke('hello'), {
      server: () => new Response('{"a":1}', { headers: { 'Content-Type': type } }),
    }),
  ),
  scenario('an answer of bytes', async ({ client }) => {
    const { data, error } = await client().functions.invoke('hello')
    return [await (data as Blob).text(), error]
  }, { server: () => new Response('abc', { headers: { 'Content-Type': 'application/octet-stream' } }) }),
  scenario('an answer of a form', async ({ client }) => {
    const { data, error } = await client().functions.invoke('hello')
    return [[...(data as FormData).entries()], error]
  }, {
    server: () => {
      const form = new FormData()
      form.set('a', '1')
      return new Response(form)
    },
  }),
  scenario('an answer that calls itself JSON and is empty', async ({ client }) => {
    const { data, error, response } = await client().functions.invoke('hello')
    return { data, name: error?.name, response }
  }, { server: () => new Response('', { headers: { 'Content-Type': 'application/json' } }) }),
]

export const scenarios: Scenario[] = [...reads, ...writes, ...procedures, ...failures, ...sessions, ...invocations, ...files]
