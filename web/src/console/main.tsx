import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from './app'
import './console.css'
import { ApiError } from './lib/api'
import { askBeforeUnload } from './lib/kept'
import { SessionProvider, takeCode } from './lib/session'
import { applyTheme, storedTheme } from './lib/theme'

applyTheme(storedTheme())
askBeforeUnload()
const code = takeCode()
// An address that is pasted where this page is open differs in its fragment alone, which loads nothing.
window.addEventListener('hashchange', () => {
  if (window.location.hash.includes('code=')) window.location.reload()
})
// A refusal stays a refusal; only a server that cannot be reached is asked again.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: (times, error) => times < 2 && !(error instanceof ApiError), refetchOnWindowFocus: false, staleTime: 5_000 } },
})
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <SessionProvider code={code}>
        <BrowserRouter basename="/_console">
          <App />
        </BrowserRouter>
      </SessionProvider>
    </QueryClientProvider>,
  )
}
