/** Route wrappers that bring the session; in a chunk of their own so that public pages never load it. */
import { Outlet } from 'react-router-dom'
import { AccountBar } from '@/features/auth/account-bar'
import { ChoosePassword } from '@/features/auth/choose-password'
import { RequireRole } from '@/features/auth/require-role'
import { AuthProvider } from '@/features/auth/use-session'

export function SessionArea() {
  return (
    <AuthProvider>
      <Outlet />
    </AuthProvider>
  )
}

export function AdminArea() {
  return (
    <RequireRole role="admin">
      <AccountBar />
      <ChoosePassword />
      <Outlet />
    </RequireRole>
  )
}
