/** Who is signed in, for everything below `AuthProvider`. */
import type { Session, User } from 'supabase-compat'
import { type ReactNode, createContext, use, useEffect, useMemo, useState } from 'react'
import { client } from '@/lib/client'
import { tellSessionEnd } from '@/lib/session-end'
import { readRole } from './api/read-role'

export interface Auth {
  session: Session | null
  user: User | null
  isAdmin: boolean
  /** Until the session is known and, with one, the role. */
  loading: boolean
  signOut: () => Promise<void>
}

const AuthContext = createContext<Auth | null>(null)

export function AuthProvider({ children }: { children: ReactNode }) {
  // undefined until the client has said what it remembers
  const [session, setSession] = useState<Session | null>()
  // Whose role it is stands beside it: an answer for the user before must not count for the next one.
  const [role, setRole] = useState<{ userId: string; isAdmin: boolean }>()
  const user = session?.user ?? null
  const userId = user?.id

  useEffect(() => {
    const { data } = client().auth.onAuthStateChange((event, next) => {
      setSession(next)
      if (event === 'SIGNED_OUT') {
        setRole(undefined)
        tellSessionEnd()
      }
    })
    return () => data.subscription.unsubscribe()
  }, [])

  useEffect(() => {
    if (userId === undefined) return
    let current = true
    void readRole(userId, 'admin').then((isAdmin) => {
      if (current) setRole({ userId, isAdmin })
    })
    return () => {
      current = false
    }
  }, [userId])

  const auth = useMemo<Auth>(() => {
    const known = role?.userId === userId
    return {
      session: session ?? null,
      user,
      isAdmin: userId !== undefined && known && role?.isAdmin === true,
      loading: session === undefined || (userId !== undefined && !known),
      signOut: async () => {
        const { error } = await client().auth.signOut()
        // With the server out of reach the sessions elsewhere live on, but this browser must forget its own.
        if (error) await client().auth.signOut({ scope: 'local' })
      },
    }
  }, [session, user, userId, role])

  return <AuthContext value={auth}>{children}</AuthContext>
}

export function useAuth(): Auth {
  const auth = use(AuthContext)
  if (!auth) throw new Error('useAuth must be used within an AuthProvider')
  return auth
}
