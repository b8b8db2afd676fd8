/** Buckets and objects: see scenarios.ts. */

import { json, type Server } from './harness.js'
import type { Scenario } from './scenarios.js'

const scenario = (name: string, run: Scenario['run'], more: Partial<Scenario> = {}): Scenario => ({ name, run, ...more })

const refusal = () => json({ statusCode: '404', error: 'not_found', message: 'Object not found' }, { status: 400 })

/** Enough of a server for calls whose answers do not matter. */
const alike: Server = ({ method, url }) => {
  if (method === 'HEAD') return new Response(null)
  if (/\/list\/|\/object\/sign\/[^/]*$|\/bucket\?/.test(url) || method === 'DELETE') return json([])
  return json({ Id: '1', Key: 'k', url: '/object/upload/sign/b/p?token=t', signedURL: '/s?token=t', objects: [] })
}

const BODIES = () => [
  'text',
  new Uint8Array([1, 2]),
  new ArrayBuffer(2),
  new Blob(['abc'], { type: 'image/png' }),
  new URLSearchParams('a=1'),
  new FormData(),
]

export const files: Scenario[] = [
  scenario('the life of a picture', async ({ service, unique }) => {
    const { storage } = service()
    const name = unique.slice(0, 40)
    const seen: unknown[] = [await storage.createBucket(name, { public: true, fileSizeLimit: 1000, allowedMimeTypes: ['text/*', 'image/png'] })]
    const own = storage.from(name)
    const errorOf = ({ error }: { error: unknown }) => error
    seen.push((await own.upload('/a//one.txt/', 'one', { cacheControl: '60', metadata: { alt: 'Ein Bärchen' } })).data?.fullPath)
    seen.push(await own.upload('a/one.txt', 'again'))
    seen.push(errorOf(await own.upload('a/one.txt', new Blob(['more'], { type: 'text/plain' }), { upsert: true, metadata: { alt: 'x' } })))
    seen.push(await own.upload('big.txt', 'x'.repeat(1001)))
    seen.push(await own.upload('page.html', new Blob(['x'], { type: 'application/pdf' })))
    seen.push(errorOf(await own.update('a/one.txt', 'other', { contentType: 'text/plain' })))
    seen.push((await own.list('a')).data?.map((file) => [file.name, file.metadata?.mimetype, file.metadata?.size]))
    seen.push((await own.list('', { search: 'zzz' })).data)
    seen.push(await (await own.download('a/one.txt')).data?.text())
    seen.push(errorOf(await own.download('missing.txt')))
    seen.push(await own.exists('a/one.txt'), (await own.exists('missing.txt')).data)
    seen.push((await own.info('a/one.txt')).data?.contentType)
    seen.push(await own.move('a/one.txt', 'b/one.txt'), await own.copy('b/one.txt', 'b/two.txt'))
    const { data: way } = await own.createSignedUrl('b/two.txt', 60, { download: 'my file.txt' })
    seen.push(way?.signedUrl.replace(/token=[^&]*/, 'token'))
    const { data: ticket } = await own.createSignedUploadUrl('c/three.txt')
    seen.push(errorOf(await own.uploadToSignedUrl('c/three.txt', ticket?.token ?? '', 'three')))
    seen.push((await own.createSignedUrls(['c/three.txt', 'none'], 60)).data?.map(({ path, error }) => [path, error]))
    seen.push(own.getPublicUrl('c/three.txt'))
    seen.push((await own.listV2({ prefix: 'b/' })).data?.objects.map((file) => file.name))
    seen.push((await own.remove(['b/one.txt', 'b/two.txt', 'nothing'])).data?.map((file) => file.name))
    seen.push((await storage.getBucket(name)).data?.file_size_limit, await storage.updateBucket(name, { public: false }))
    seen.push((await storage.listBuckets({ search: name })).data?.map((bucket) => bucket.public))
    seen.push(errorOf(await storage.emptyBucket(name)), await storage.deleteBucket(name), await storage.getBucket(name))
    return seen
  }, { live: [200, 200, 400, 200, 400, 400, 200, 200, 200, 200, 400, 200, 400, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 400], server: alike }),
  scenario('files of every kind', async ({ client }) => {
    const own = client().storage.from('pictures')
    const seen = []
    for (const body of BODIES()) seen.push(await own.upload('a/b.png', body as never), await own.update('a', body as never, { metadata: { alt: 'a cat' } }))
    for (const body of BODIES()) seen.push(await own.uploadToSignedUrl('/x', 'to ken', body as never, { upsert: true, cacheControl: '1' }))
    seen.push(await own.upload('c', 'text', { contentType: 'image/svg+xml', upsert: true, headers: { 'X-Own': 'a', 'Cache-Control': 'no-store' } }))
    return seen
  }, { server: () => json({ Id: '1', Key: 'pictures/a/b.png' }) }),
  scenario('addresses of every kind', async ({ client }) => {
    const { storage } = client()
    const own = storage.from('my pictures')
    const transform = { quality: 80, width: 100, height: 0, resize: 'cover' as const }
    return [
      own.getPublicUrl('a b/ü.png'),
      own.getPublicUrl('//a.png', { download: true }),
      own.getPublicUrl('a.png', { download: 'na me.png', transform, cacheNonce: '1' }),
      own.getPublicUrl('a.png', { transform: {}, download: false }),
      await own.createSignedUrl('a b.png', 60),
      await own.createSignedUrl('/a.png', 60, { download: true, transform, cacheNonce: 'x y' }),
      await own.createSignedUrl('a.png', 60, { download: 'ü.png', transform: {} }),
      await own.createSignedUploadUrl('a.png', { upsert: true }),
      await own.createSignedUploadUrl('/a.png'),
    ]
  }, { server: () => json({ signedURL: '/object/sign/b/a b.png?token=t', url: '/object/upload/sign/b/a.png?token=t' }) }),
  scenario('several signed addresses', async ({ client }) => client().storage.from('b').createSignedUrls(['a', 'b'], 5, { download: 'x' }), {
    server: () => json([{ signedURL: '/object/sign/b/a?token=1', path: 'a', error: null }, { signedURL: null, path: 'b', error: 'Either the object does not exist' }]),
  }),
  scenario('lists of every kind', async ({ client }) => {
    const own = client({ global: { headers: { 'X-App': 'a' } } }).storage.from('b')
    return [
      await own.list(),
      await own.list('folder', { limit: 5, offset: 2, search: 'x', sortBy: { column: 'created_at' } }),
      await own.list('folder', { sortBy: { order: 'desc' } }, { cache: 'no-store' }),
      await own.list('', null),
      await own.listV2(),
      await own.listV2({ prefix: 'a/', limit: 2, cursor: 'c', with_delimiter: true, sortBy: { column: 'name', order: 'desc' } }),
      await own.remove(['a', 'b']),
      await own.move('a', 'b', { destinationBucket: 'c' }),
      await own.move('a', 'b'),
    ]
  }, { server: () => json([{ name: 'a', id: null }]) }),
  scenario('downloads', async ({ client }) => {
    const own = client().storage.from('b')
    const { data } = await own.download('/a.png', { transform: { width: 5 }, cacheNonce: '3' })
    const other = await own.download('a.png', undefined, { cache: 'no-cache' })
    return [await data?.text(), data?.type, await other.data?.text()]
  }, { server: () => new Response('bytes', { headers: { 'Content-Type': 'image/png' } }) }),
  scenario('what is known of an object', async ({ client }) => client().storage.from('b').info('a/b'), {
    server: () => json({ id: '1', bucket_id: 'b', created_at: 'x', metadata: { a_b: [{ c_d: 1 }], 'e-f': null } }),
  }),
  scenario('whether an object exists', async ({ client }) => client().storage.from('b').exists('a'), { server: () => new Response(null, { status: 200 }) }),
  scenario('whether a missing object exists', async ({ client }) => client().storage.from('b').exists('a'), {
    server: () => new Response(null, { status: 404, statusText: 'Not Found' }),
  }),
  scenario('whether an object exists, of a server that fails', async ({ client }) =>
    client().storage.from('b').exists('a').catch((error: unknown) => ['thrown', error]), { server: () => new Response(null, { status: 500, statusText: 'Broken' }) }),
  scenario('buckets', async ({ client }) => {
    const { storage } = client()
    return [
      await storage.listBuckets(),
      await storage.listBuckets({ limit: 0, offset: 3, search: '', sortColumn: 'name', sortOrder: 'desc' }),
      await storage.getBucket('b'),
      await storage.createBucket('b'),
      await storage.createBucket('b', { public: true, fileSizeLimit: '1MB', allowedMimeTypes: ['image/*'], type: 'STANDARD' }),
      await storage.updateBucket('b', { public: false, fileSizeLimit: null, allowedMimeTypes: null }),
      await storage.emptyBucket('b'),
      await storage.deleteBucket('b'),
    ]
  }, { server: () => json({ name: 'b' }) }),
  scenario('refusals of storage', async ({ client }) => {
    const { storage } = client()
    const own = storage.from('b')
    return [await own.upload('a', 'x'), await own.download('a'), await own.remove(['a']), await own.createSignedUrl('a', 1), await own.copy('a', 'b'), await own.info('a'), await storage.getBucket('b')]
  }, { server: refusal }),
  ...[
    json({ code: 'Own', msg: 'one' }, { status: 409 }),
    json({ error: { message: 'two' } }, { status: 413 }),
    json({ unknown: 1 }, { status: 500 }),
    json(null, { status: 400 }),
    new Response('<html>', { status: 502, statusText: 'Bad Gateway' }),
    new Response('', { status: 504 }),
    new Response('no json'),
  ].map((answer, at) => scenario(`an odd answer of storage, ${at}`, async ({ client }) => client().storage.from('b').list(), { server: () => answer.clone() })),
  scenario('storage that cannot be reached', async ({ client }) => client().storage.from('b').upload('a', 'x'), {
    server: () => {
      throw new TypeError('fetch failed')
    },
  }),
]
