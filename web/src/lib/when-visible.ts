/** How far below the visible part something may still be when its code is fetched. */
const MARGIN = '600px'

/** Acts that may lead to a navigation: the code that it will wait for has a head start. */
const STIRRINGS = ['pointerdown', 'click', 'keydown', 'input', 'popstate'] as const

/**
 * Resolves once the element with this id is about to be scrolled into view, or the visitor does anything; at
 * once where nothing can tell. A navigation ends the wait at the latest: React cannot know whether a part that
 * is not alive yet reads the address, so it holds every navigation back until the part is.
 */
export async function whenVisible(id: string): Promise<void> {
  if (typeof IntersectionObserver === 'undefined') return
  const stirred = new Promise<void>((resolve) => {
    const end = () => resolve()
    for (const event of STIRRINGS) window.addEventListener(event, end, { once: true, capture: true })
    // Words can come without a key, from speech or a password manager, and a timer may navigate on its own.
    window.navigation?.addEventListener('navigate', end, { once: true })
  })
  await Promise.race([stirred, inView(id)])
}

async function inView(id: string): Promise<void> {
  // The element may be part of the very render that asks.
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const element = document.getElementById(id)
  if (!element) return
  await new Promise<void>((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return
        observer.disconnect()
        resolve()
      },
      { rootMargin: MARGIN },
    )
    observer.observe(element)
  })
}
