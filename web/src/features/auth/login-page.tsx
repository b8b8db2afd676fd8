import { LockKeyhole } from 'lucide-react'
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react'
import { Navigate, useSearchParams } from 'react-router-dom'
import { client } from '@/lib/client'
import { takeFields } from '@/lib/early-fields'
import { paths } from '@/lib/paths'
import { Seo } from '@/lib/seo'
import { InTurn } from '@/parts/in-turn'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { Input } from '@/ui/input'
import { toast } from '@/ui/toast-store'
import { attempt } from './api/attempt'
import { safeReturnTo } from './return-to'
import { useAuth } from './use-session'

export default function LoginPage() {
  const { session } = useAuth()
  const [params] = useSearchParams()
  if (session) return <Navigate to={safeReturnTo(params.get('returnTo'))} replace />
  return (
    <>
      <Seo title="Admin Login" description="Sign-in for administrators of the website of United Medical Waste. There is no sign-up: accounts are created by a system admin." noindex />
      <InTurn>
        <div className="bg-granite-50">
          <div className="container flex min-h-[70vh] items-center justify-center py-16">
            <div className="w-full max-w-md rounded-lg border border-granite-200 bg-white p-6 shadow-soft sm:p-9">
              <span className="grid size-12 place-items-center rounded-lg bg-harbor-950 text-gold-400">
                <LockKeyhole aria-hidden="true" className="size-6" />
              </span>
              <h1 className="mt-5 text-h2">Admin Login</h1>
              <p className="mt-2 text-sm text-granite-600">Administrator access only. Contact system admin for account creation.</p>
              <noscript>
                <p className="mt-5 rounded-md border border-gold-500 bg-gold-50 p-4 text-sm">
                  Logging in needs JavaScript. Everything else on this site can be read without it: <a href={paths.home} className="font-semibold text-harbor-700 underline">go to the home page</a>.
                </p>
              </noscript>
              <LoginForm />
            </div>
          </div>
        </div>
      </InTurn>
    </>
  )
}

function LoginForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [ready, setReady] = useState(false)
  const element = useRef<HTMLFormElement>(null)

  // What was typed, or filled in by the browser, before the script was there.
  useLayoutEffect(() => {
    setReady(true)
    if (!element.current) return
    for (const data of takeFields(element.current)) {
      setEmail((held) => String(data.get('email') ?? '') || held)
      setPassword((held) => String(data.get('password') ?? '') || held)
    }
  }, [])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const failure = await attempt(() => client().auth.signInWithPassword({ email: email.trim(), password }))
    setBusy(false)
    // Signed in, the page above sees the session and moves on.
    if (failure === null) toast({ title: 'Welcome back!', description: "You've successfully logged in." })
    else toast({ title: 'Login failed', description: failure || 'Please check your credentials and try again.', variant: 'destructive' })
  }

  return (
    <form ref={element} name="login" method="post" onSubmit={(event) => void submit(event)} className="mt-7 grid gap-5">
      <Field label="Email" required>
        {(control) => (
          <Input {...control} type="email" name="email" autoComplete="username" required value={email} onChange={(event) => setEmail(event.target.value)} />
        )}
      </Field>
      <Field label="Password" required>
        {(control) => (
          <Input
            {...control}
            type="password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" size="lg" wide busy={busy} disabled={!ready}>
        {busy ? 'Logging in...' : 'Log In'}
      </Button>
    </form>
  )
}
