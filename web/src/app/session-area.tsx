/** Route wrappers that bring the session; in a chunk of their own so that public pages never load it. */
import type { ReactNode } from 'react'
import { AccountBar } from '@/features/auth/account-bar'
import { ChoosePassword } from '@/features/auth/choose-password'
import { RequireRole } from '@/features/auth/require-role'
import { AuthProvider } from '@/features/auth/use-session'

export function SessionArea({ children }: { children: ReactNode }) {
  return <AuthProvider>{children}</AuthProvider>
}

export function AdminArea({ children }: { children: ReactNode }) {
  return (
    <RequireRole role="admin">
      <AccountBar />
      <ChoosePassword />
      {children}
    </RequireRole>
  )
}
