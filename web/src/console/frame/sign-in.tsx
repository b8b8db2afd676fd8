import { type FormEvent, useState } from 'react'
import { useDoor } from '../lib/session'
import { Button } from '../parts/button'
import { CheckField, TextField } from '../parts/field'
import { Brand } from './rooms'

/** The door: a name and its password, a key typed once, or a code out of the terminal. What is typed is sent and forgotten. */
export function SignIn() {
  const { signIn, problem } = useDoor()
  const [error, setError] = useState(problem)
  const [byAccount, setByAccount] = useState(false)
  const [busy, setBusy] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = String(form.get('key') ?? '').trim()
    const account = String(form.get('account') ?? '').trim()
    // Whoever copies the whole address means the code in it.
    const code = text.includes('#code=') ? text.slice(text.indexOf('#code=') + 6) : text
    const proof = account !== '' ? { account, password: String(form.get('password') ?? '') } : /^(sb_secret_|ey)/.test(text) ? { key: text } : { code }
    setByAccount(account !== '')
    setBusy(true)
    setError('')
    signIn({ ...proof, read_only: form.has('read_only') }).catch((failed: unknown) => {
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
        <TextField label="Account" name="account" autoComplete="username" autoCapitalize="none" />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" hint="Accounts are made by gateway console accounts add." error={(byAccount && error) || undefined} />
        <p className="muted">Or, without an account:</p>
        <TextField
          label="Secret key or code"
          name="key"
          type="password"
          autoComplete="off"
          hint="A secret key, or the address that gateway dev and gateway console print. It is sent once and not kept in the browser."
          error={(!byAccount && error) || undefined}
        />
        <CheckField label="Read only" name="read_only" hint="Nothing can be changed in this session" />
        <Button type="submit" look="primary" busy={busy}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
