import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button, IconButton } from './button'
import { TextField } from './field'
import { Failure } from './states'

const shown: HTMLDialogElement[] = []
const watchers = new Set<() => void>()

/** The dialog on top: messages stand in it, since all around it is inert. */
export const topDialog = {
  get: (): HTMLDialogElement | null => shown.at(-1) ?? null,
  subscribe: (watcher: () => void) => {
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  },
}

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** The buttons, in view however long the content is. */
  actions?: ReactNode
  /** Drawn at the right edge, as tall as the window. */
  side?: boolean
  wide?: boolean
  locked?: boolean
  /** Makes the whole a form: Enter in a field does what the main button does. */
  onSubmit?: () => void
}

/** The platform's modal dialog: focus trap, Escape and an inert page come with it. Mounted is open. */
export function Dialog({ title, onClose, children, actions, side, wide, locked, onSubmit }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // With the commit: a key pressed right behind the one that opened it is the dialog's.
  useLayoutEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    if (dialog && !dialog.open) {
      dialog.showModal()
      // The platform chooses the button that closes; who opened a form wants its first field.
      dialog.querySelector<HTMLElement>('[data-first], form .dialog-body :is(input, select, textarea):not(:disabled, .unseen)')?.focus()
    }
    if (dialog) shown.push(dialog)
    for (const watcher of watchers) watcher()
    return () => {
      if (dialog) shown.splice(shown.indexOf(dialog), 1)
      for (const watcher of watchers) watcher()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const inside = (
    <>
      <div className="dialog-body">{children}</div>
      {actions ? <div className="dialog-actions">{actions}</div> : null}
    </>
  )
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      className={clsx('dialog', side && 'side', wide && 'wide')}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        if (event.target !== ref.current) return
        event.preventDefault()
        if (!locked) onClose()
      }}
      // A browser lets nobody refuse a second Escape: what is still wanted then comes back.
      onClose={(event) => {
        if (event.target === ref.current && !ref.current.open) ref.current.showModal()
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <IconButton label="Close" disabled={locked} onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
      {onSubmit ? (
        <form
          className="dialog-inside"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            onSubmit()
          }}
        >
          {inside}
        </form>
      ) : (
        <div className="dialog-inside">{inside}</div>
      )}
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  children: ReactNode
  action: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
  /** What has to be typed first. */
  typed?: string
  calm?: boolean
}

/** Asks before something that cannot be taken back, does it, and says what went wrong. */
export function Confirm({ title, children, action, onConfirm, onClose, typed, calm }: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [text, setText] = useState('')
  const act = () => {
    if (busy || (typed !== undefined && text !== typed)) return
    setBusy(true)
    setError(null)
    onConfirm().then(onClose, (failed: unknown) => {
      setError(failed)
      setBusy(false)
    })
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      locked={busy}
      onSubmit={act}
      actions={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" look={calm ? 'primary' : 'danger'} busy={busy} disabled={typed !== undefined && text !== typed}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {typed === undefined ? null : <TextField label={`Type ${typed} to confirm`} value={text} onChange={(event) => setText(event.target.value)} />}
      {error ? <Failure error={error} /> : null}
    </Dialog>
  )
}
