import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { Site, preloadSession } from './app/router'
import { needsSession, notFoundPage, pageFor } from './app/routes'
import { rememberFields } from './lib/early-fields'
import { rememberTexts } from './lib/early-text'
import { reloadOnStaleChunk, watchServiceWorker } from './lib/page-updates'
import { preloadOnIntent } from './lib/preload'
import { takeOver } from './lib/server-data'
import './styles.css'

async function start(root: HTMLElement) {
  const { pathname, search } = window.location
  const Page = pageFor(pathname)
  await Promise.all([Page.preload(), needsSession(pathname) ? preloadSession() : undefined])

  const site = (
    <StrictMode>
      <BrowserRouter>
        <Site />
      </BrowserRouter>
    </StrictMode>
  )
  // The HTML was rendered without a query string, so with one the markup may rightly differ.
  const rendered = root.dataset.prerendered
  const sameMarkup = rendered === '*' ? Page === notFoundPage : rendered === pathname && search === ''
  if (sameMarkup || 'filled' in root.dataset) {
    // Hydration may move an element, which takes the focus from it: whoever is on their way by keyboard would be lost.
    const focused = document.activeElement
    takeOver(() => hydrateRoot(root, site))
    if (focused instanceof HTMLElement && focused !== document.activeElement && root.contains(focused)) focused.focus({ preventScroll: true })
  } else {
    rememberFields(root)
    rememberTexts(root)
    createRoot(root).render(site)
  }

  preloadOnIntent((path) => void pageFor(path).preload())
}

reloadOnStaleChunk()
watchServiceWorker()
const root = document.getElementById('root')
if (root) void start(root)
