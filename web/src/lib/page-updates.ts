/** Keeps an open tab in step with a newer deployment. */

const UPDATE_INTERVAL_MS = 60 * 60 * 1000
const RELOADED_AT = 'umw:reloaded-at'
const RELOAD_PAUSE_MS = 10_000

/** After a deployment an old tab asks for chunks that are gone: load the page anew, but never in a loop, nor offline. */
export function reloadOnStaleChunk(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
    if (Date.now() - last < RELOAD_PAUSE_MS || !navigator.onLine) return
    sessionStorage.setItem(RELOADED_AT, String(Date.now()))
    event.preventDefault()
    window.location.reload()
  })
}

/** Registers /sw.js and asks for a newer one every hour; a failure is only logged. */
export function watchServiceWorker(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return
  const register = async () => {
    try {
      const registration = await navigator.serviceWorker.register('/sw.js', { scope: '/', updateViaCache: 'none' })
      setInterval(() => void registration.update().catch(logFailure), UPDATE_INTERVAL_MS)
    } catch (error) {
      logFailure(error)
    }
  }
  if (document.readyState === 'complete') void register()
  else window.addEventListener('load', () => void register())
}

function logFailure(error: unknown): void {
  console.info('Service worker:', error)
}
