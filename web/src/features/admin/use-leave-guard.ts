/**
 * Asks before unsaved work is left behind: by a link, by Back or Forward, by closing or reloading the page.
 * What leads away without a click, such as the end of a session, is not held up.
 */
import { useCallback, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'

export interface LeaveGuard {
  /** The visitor wants to leave and must be asked. */
  asking: boolean
  leave: () => void
  stay: () => void
}

export function useLeaveGuard(active: boolean): LeaveGuard {
  const [proceed, setProceed] = useState<(() => void) | null>(null)
  const letGo = useRef(false)
  const navigate = useNavigate()

  useEffect(() => {
    if (!active) return
    letGo.current = false
    const { href, pathname: page } = window.location
    const { state } = window.history

    // The browser's own question; its words cannot be chosen.
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!letGo.current) event.preventDefault()
    }
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
      if (!link || !plain || event.defaultPrevented || letGo.current || link.target !== '' || link.origin !== window.location.origin) return
      const { pathname, search, hash } = link
      if (pathname === page) return
      event.preventDefault()
      // Before the router's own handler, which sits further down the tree.
      event.stopPropagation()
      setProceed(() => () => navigate(pathname + search + hash))
    }
    // By now the address has changed already: put it back, and take that step back again if the answer is yes.
    const onPop = (event: PopStateEvent) => {
      if (letGo.current || window.location.pathname === page) return
      event.stopImmediatePropagation()
      window.history.pushState(state, '', href)
      setProceed(() => () => window.history.back())
    }

    window.addEventListener('beforeunload', onUnload)
    document.addEventListener('click', onClick, { capture: true })
    // While capturing, so that it comes before the router's own listener.
    window.addEventListener('popstate', onPop, { capture: true })
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      document.removeEventListener('click', onClick, { capture: true })
      window.removeEventListener('popstate', onPop, { capture: true })
    }
  }, [active, navigate])

  const leave = useCallback(() => {
    letGo.current = true
    setProceed(null)
    proceed?.()
  }, [proceed])
  const stay = useCallback(() => setProceed(null), [])
  return { asking: proceed !== null, leave, stay }
}
