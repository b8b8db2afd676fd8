/** Loads a page's code when a pointer or the focus reaches a link to it, so that the click itself is instant. */
export function preloadOnIntent(preload: (pathname: string) => void): void {
  const onIntent = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
    if (link && link.origin === window.location.origin && !link.target) preload(link.pathname)
  }
  document.addEventListener('pointerover', onIntent, { passive: true })
  document.addEventListener('focusin', onIntent)
}
