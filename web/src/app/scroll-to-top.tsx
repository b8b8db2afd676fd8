import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router-dom'
import { trackPageView } from '@/lib/analytics'
import { whenTitled } from '@/lib/seo'

/** On every change of path: back to the top, focus to the page's start, and one page view. */
export function ScrollToTop() {
  const { pathname, hash } = useLocation()
  const previous = useRef(pathname)
  useEffect(() => {
    if (previous.current !== pathname) {
      previous.current = pathname
      if (hash === '') window.scrollTo(0, 0)
      // Without this the focus stays on a link that is gone and the next Tab starts anywhere.
      document.getElementById('main')?.focus({ preventScroll: true })
    }
    // The new page's title belongs to its view.
    return whenTitled(pathname, () => trackPageView(pathname))
  }, [pathname, hash])
  return null
}
