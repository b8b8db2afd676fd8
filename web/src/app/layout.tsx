import type { ReactNode } from 'react'
import { Toaster } from '@/ui/toast'
import { ConsentBanner } from './consent-banner'
import { Footer } from './footer'
import { Header } from './header'
import { PhoneBar } from './phone-bar'

/** What surrounds every page. */
export function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      <a href="#main" className="no-print on-dark fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-harbor-950 px-4 py-2.5 font-semibold text-white focus:translate-y-0">
        Skip to main content
      </a>
      <Header />
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
      <Footer />
      <PhoneBar />
      <ConsentBanner />
      <Toaster />
    </>
  )
}
