import { beforeEach, expect, test, vi } from 'vitest'
import { serviceWorker } from './service-worker.mjs'

const origin = 'https://site.example'
const store = new Map()
const deleted = []
let handlers
let network

/** Runs the worker's text with a browser's parts around it. */
function install() {
  handlers = {}
  const cache = { addAll: async (list) => list.forEach((path) => store.set(origin + path, `cached ${path}`)), put: async ({ url }, response) => store.set(url, response) }
  const caches = {
    open: async () => cache,
    keys: async () => ['umw-old'],
    delete: async (name) => deleted.push(name),
    match: async (key) => store.get(typeof key === 'string' ? origin + key : key.url),
  }
  const self = { location: new URL(origin), addEventListener: (name, handler) => (handlers[name] = handler), skipWaiting: async () => {}, clients: { claim: async () => {} } }
  new Function('self', 'caches', 'fetch', serviceWorker(['/offline', '/assets/index.js']))(self, caches, (fetched) => network(fetched))
}

/** What the worker answers, or 'browser' when it leaves the request alone. */
async function ask(path, { method = 'GET', mode = 'cors', base = origin } = {}) {
  let answer = 'browser'
  handlers.fetch({ request: { url: base + path, method, mode }, respondWith: (reply) => (answer = reply) })
  return answer
}

beforeEach(async () => {
  store.clear()
  deleted.length = 0
  network = vi.fn(async ({ url }) => ({ ok: true, url, clone: () => `stored ${url}` }))
  install()
  const waits = []
  handlers.install({ waitUntil: (promise) => waits.push(promise) })
  handlers.activate({ waitUntil: (promise) => waits.push(promise) })
  await Promise.all(waits)
})

test.each(['/rest/v1/blog_posts', '/auth/v1/user', '/functions/v1/submit-quote', '/admin/blog', '/env.js'])('%s is never touched', async (path) => {
  expect(await ask(path)).toBe('browser')
  expect(network).not.toHaveBeenCalled()
})

test('what is sent, and other sites, are left alone', async () => {
  expect(await ask('/quote', { method: 'POST', mode: 'navigate' })).toBe('browser')
  expect(await ask('/picture.png', { base: 'https://elsewhere.example' })).toBe('browser')
})

test('a page comes from the network, and without one the offline page does', async () => {
  expect((await ask('/quote', { mode: 'navigate' })).url).toBe(`${origin}/quote`)
  network = vi.fn(async () => {
    throw new TypeError('offline')
  })
  expect(await ask('/quote', { mode: 'navigate' })).toBe('cached /offline')
})

test('a hashed file is fetched once', async () => {
  await ask('/assets/page.js')
  await vi.waitFor(() => expect(store.has(`${origin}/assets/page.js`)).toBe(true))
  expect(await ask('/assets/page.js')).toBe(`stored ${origin}/assets/page.js`)
  expect(network).toHaveBeenCalledTimes(1)
})

test('a new version clears the old cache', () => {
  expect(deleted).toEqual(['umw-old'])
  expect(serviceWorker(['/offline', '/assets/other.js']).split('\n')[0]).not.toBe(serviceWorker(['/offline', '/assets/index.js']).split('\n')[0])
})
