import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { ApiError, api, keepToken, onSignedOut } from './api'
import { keepFor } from './kept'

export interface Session {
  token: string
  account: string
  /** What the account is for; a code and a key are for all of it. */
  kind?: 'all' | 'read' | 'records'
  read_only: boolean
  project: string
  version: string
  api_url: string
  publishable_key: string | null
  services: string[]
}

interface Door {
  /** `undefined` while nobody knows yet. */
  session: Session | null | undefined
  problem: string
  signIn: (proof: ({ code: string } | { key: string } | { account: string; password: string }) & { read_only: boolean }) => Promise<void>
  signOut: () => Promise<void>
}

const DoorContext = createContext<Door | null>(null)

/** The code that `gateway dev` printed, taken out of the address before anything else can read it. */
export function takeCode(location: Location = window.location, history: History = window.history): string {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? ''
  if (code !== '') history.replaceState(null, '', location.pathname + location.search)
  return code
}

export function SessionProvider({ code, children }: { code: string; children: ReactNode }) {
  const [session, setSession] = useState<Session | null | undefined>(undefined)
  const [problem, setProblem] = useState('')
  const queries = useQueryClient()

  const enter = useCallback((next: Session | null) => {
    keepToken(next?.token ?? '')
    if (next) keepFor(next.account)
    setSession(next)
  }, [])

  useEffect(() => {
    onSignedOut(() => {
      queries.clear()
      enter(null)
    })
    const found = code === '' ? api<Session>('session') : api<Session>('session', { method: 'POST', body: { code } })
    found.then(enter, async (error: unknown) => {
      if (!(error instanceof ApiError)) setProblem('The server cannot be reached.')
      else if (code !== '') {
        // An address used twice: an older session may still be good.
        const older = await api<Session>('session').catch(() => null)
        if (older) return enter(older)
        setProblem(error.message)
      } else if (error.status !== 401) setProblem(error.message)
      return enter(null)
    })
  }, [code, enter, queries])

  const door = useMemo<Door>(
    () => ({
      session,
      problem,
      signIn: async (proof) => enter(await api<Session>('session', { method: 'POST', body: proof })),
      signOut: async () => {
        await api('session', { method: 'DELETE' }).catch(() => undefined)
        queries.clear()
        keepFor('')
        enter(null)
      },
    }),
    [session, problem, enter, queries],
  )
  return <DoorContext value={door}>{children}</DoorContext>
}

export function useDoor(): Door {
  const door = useContext(DoorContext)
  if (!door) throw new Error('used outside of SessionProvider')
  return door
}

/** The session of somebody who is in. */
export function useSession(): Session {
  const { session } = useDoor()
  if (!session) throw new Error('used before the sign-in')
  return session
}

/** Whether who is in may see and change rows, and nothing else of the console. */
export function useRecordsAlone(): boolean {
  return useSession().kind === 'records'
}
