/** Text of /sw.js: pages from the network, an offline page when there is none, hashed assets from the cache. */
import { createHash } from 'node:crypto'

/** `precache`: addresses fetched at installation, the offline page first. */
export function serviceWorker(precache) {
  const version = createHash('sha256').update(precache.join('\n')).digest('hex').slice(0, 12)
  return `const CACHE = 'umw-${version}'
const PRECACHE = ${JSON.stringify(precache)}
// Answers that depend on who asks are never stored.
const PRIVATE = /^\\/(rest|auth|functions|admin|env\\.js)(\\/|$)/

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(PRECACHE)).then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin || PRIVATE.test(url.pathname)) return
  if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(() => caches.match(PRECACHE[0])))
  } else if (url.pathname.startsWith('/assets/')) {
    event.respondWith(fromCache(request))
  }
})

async function fromCache(request) {
  const found = await caches.match(request)
  if (found) return found
  const response = await fetch(request)
  if (response.ok) {
    const copy = response.clone()
    void caches.open(CACHE).then((cache) => cache.put(request, copy))
  }
  return response
}
`
}
