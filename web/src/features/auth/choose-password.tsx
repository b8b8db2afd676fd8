import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { client } from '@/lib/client'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { Input } from '@/ui/input'
import { toast } from '@/ui/toast-store'
import { attempt } from './api/attempt'
import { useAuth } from './use-session'

/** Asks for a password of one's own, for as long as the account has the one that was made for its first sign-in. */
export function ChoosePassword() {
  const { user } = useAuth()
  return user?.app_metadata.must_change_password === true ? <Request email={user.email ?? ''} /> : null
}

function Request({ email }: { email: string }) {
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const failure = await attempt(() => client().auth.updateUser({ password }))
    setBusy(false)
    // Changed, the account has lost its mark, and this request goes away with it.
    if (failure === null) toast({ title: 'Success', description: 'Password changed successfully' })
    else setError(failure || 'The password could not be changed. Please try again.')
  }

  return (
    <section aria-labelledby="choose-password" className="no-print border-b border-gold-400 bg-gold-100">
      <div className="container flex flex-wrap items-start justify-between gap-x-10 gap-y-4 py-5">
        <div className="flex max-w-[60ch] items-start gap-3">
          <KeyRound aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-gold-700" />
          <div>
            <h2 id="choose-password" className="text-base font-bold tracking-normal">
              Choose your own password
            </h2>
            <p className="mt-1 text-sm">Yours was made for the first sign-in only, and others may have seen it. This notice stays until you have changed it.</p>
          </div>
        </div>
        <form method="post" onSubmit={(event) => void submit(event)} className="flex w-full max-w-md flex-wrap items-end gap-3">
          {/* Tells a password manager whose password this is. */}
          <input type="hidden" name="email" autoComplete="username" value={email} />
          <div className="grow">
            <Field label="New password" required error={error}>
              {(control) => (
                <Input
                  {...control}
                  type="password"
                  name="new-password"
                  autoComplete="new-password"
                  required
                  value={password}
                  onChange={(event) => {
                    setPassword(event.target.value)
                    setError(undefined)
                  }}
                />
              )}
            </Field>
          </div>
          <Button type="submit" busy={busy}>
            {busy ? 'Changing...' : 'Change Password'}
          </Button>
        </form>
      </div>
    </section>
  )
}
