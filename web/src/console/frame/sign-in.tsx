import { type FormEvent, useState } from 'react'
import { useDoor } from '../lib/session'
import { Button } from '../parts/button'
import { TextField } from '../parts/field'
import { Brand } from './rooms'

/** The door: a key typed once, a code out of the terminal, or an account. What is typed is sent and forgotten. */
export function SignIn() {
  const { signIn, problem } = useDoor()
  const [error, setError] = useState(problem)
  const [busy, setBusy] = useState(false)
  const [account, setAccount] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const proof = account
      ? { email: text('email'), password: String(form.get('password') ?? '') }
      : text('key').startsWith('sb_secret_') || text('key').startsWith('ey')
        ? { key: text('key') }
        : { code: text('key') }
    setBusy(true)
    setError('')
    signIn(proof).catch((failed: unknown) => {
      setError(failed instanceof Error ? failed.message : String(failed))
      setBusy(false)
    })
  }
  return (
    <main className="door">
      <form className="door-card" onSubmit={submit} noValidate>
        <h1>
          <Brand aria-hidden="true" /> Console
        </h1>
        {account ? (
          <>
            <TextField label="Email" name="email" type="email" autoComplete="username" required />
            <TextField label="Password" name="password" type="password" autoComplete="current-password" required error={error || undefined} />
          </>
        ) : (
          <TextField
            label="Secret key or code"
            name="key"
            type="password"
            autoComplete="off"
            required
            hint="A secret key, or the code out of the address that gateway dev or gateway console prints. It is sent once and not kept in the browser."
            error={error || undefined}
          />
        )}
        <Button type="submit" look="primary" busy={busy}>
          Sign in
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            setAccount(!account)
            setError('')
          }}
        >
          {account ? 'Use a secret key or a code' : 'Use an account'}
        </Button>
      </form>
    </main>
  )
}
