import type { ReactNode } from 'react'
import { useLocation } from 'react-router-dom'
import { Toaster } from '@/ui/toast'
import { InTurn } from '@/parts/in-turn'
import { ConsentBanner } from './consent-banner'
import { Footer } from './footer'
import { Header } from './header'
import { PhoneBar } from './phone-bar'

/** What surrounds every page. */
export function Layout({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  // The administration has a frame of its own: what sells the service to visitors is in the way of who works here.
  const isDesk = pathname === '/admin' || pathname.startsWith('/admin/')
  return (
    <>
      <a href="#main" className="no-print on-dark fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-harbor-950 px-4 py-2.5 font-semibold text-white focus:translate-y-0">
        Skip to main content
      </a>
      {isDesk ? null : (
        <InTurn>
          <Header />
        </InTurn>
      )}
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
      {isDesk ? null : (
        <InTurn>
          <Footer />
        </InTurn>
      )}
      <PhoneBar />
      <ConsentBanner />
      <Toaster />
    </>
  )
}
