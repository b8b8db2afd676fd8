/** How far below the visible part something may still be when its code is fetched. */
const MARGIN = '600px'

/**
 * Any of these may start a navigation, which would wait for prerendered parts that are not alive yet: React
 * cannot tell whether such a part reads the address.
 */
const STIRRINGS = ['pointerdown', 'click', 'keydown', 'popstate'] as const

/** Resolves once the element with this id is about to be scrolled into view, or the visitor does anything; at once where nothing can tell. */
export async function whenSeen(id: string): Promise<void> {
  if (typeof IntersectionObserver === 'undefined') return
  const stirred = new Promise<void>((resolve) => {
    for (const event of STIRRINGS) window.addEventListener(event, () => resolve(), { once: true, capture: true })
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
