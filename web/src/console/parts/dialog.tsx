import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button, CopyButton, IconButton } from './button'
import { TextField } from './field'
import { Code } from './page'
import { Failure } from './states'

const shown: HTMLDialogElement[] = []
const FIRST = ':scope > .dialog-inside [data-first], :scope > form .dialog-body :is(input, select, textarea):not(:disabled, .unseen)'
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
  /** Whether what was typed is asked for before Escape or the cross take it away; a form's is. */
  guarded?: boolean
}

function show(dialog: HTMLDialogElement) {
  dialog.showModal()
  // The platform chooses the button that closes; who opened a form wants its first field.
  dialog.querySelector<HTMLElement>(FIRST)?.focus()
}

/** What a field holds; of an editor that is none, its text. */
function held(field: Element): string | undefined {
  if (field instanceof HTMLInputElement) return field.type === 'checkbox' || field.type === 'radio' ? String(field.checked) : field.value
  if (field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement) return field.value
  return field instanceof HTMLElement && field.isContentEditable ? (field.textContent ?? '') : undefined
}

/** The platform's modal dialog: focus trap, Escape and an inert page come with it. Mounted is open. */
export function Dialog({ title, onClose, children, actions, side, wide, locked, onSubmit, guarded = onSubmit !== undefined }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const [leaving, setLeaving] = useState(false)
  // What each field held before it was first used.
  const before = useRef(new Map<Element, string>())
  const changed = () => guarded && [...before.current].some(([field, was]) => field.isConnected && held(field) !== was)
  const leave = () => {
    if (changed()) setLeaving(true)
    else onClose()
  }
  // With the commit: a key pressed right behind the one that opened it is the dialog's.
  useLayoutEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    const focused = (event: FocusEvent) => {
      const field = event.composedPath()[0]
      const holds = field instanceof Element ? held(field) : undefined
      if (field instanceof Element && holds !== undefined && !before.current.has(field)) before.current.set(field, holds)
    }
    dialog?.addEventListener('focusin', focused)
    if (dialog && !dialog.open) show(dialog)
    if (dialog) shown.push(dialog)
    for (const watcher of watchers) watcher()
    return () => {
      dialog?.removeEventListener('focusin', focused)
      dialog?.close() // what is around it is inert as long as it is open
      if (dialog) shown.splice(shown.indexOf(dialog), 1)
      for (const watcher of watchers) watcher()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
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
        if (!locked) leave()
      }}
      // A browser lets nobody refuse a second Escape: what is still wanted then comes back.
      onClose={(event) => {
        if (event.target !== ref.current || ref.current.open) return
        // Those on top of it stay on top.
        for (const one of shown.slice(shown.indexOf(ref.current))) {
          one.close()
          show(one)
        }
        if (!locked) leave()
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <IconButton label="Close" disabled={locked} onClick={leave}>
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
      {leaving ? (
        <Discard onKeep={() => setLeaving(false)} onDiscard={onClose}>
          It is not saved anywhere yet.
        </Discard>
      ) : null}
    </dialog>
  )
}

interface FormDialogProps<T> {
  title: string
  /** What the button says that does it. */
  action: string
  look?: 'primary' | 'danger'
  /** Whether it can be done as it is filled in. */
  ready?: boolean
  guarded?: boolean
  /** What fails, at once or later, is said where it was entered. */
  onSubmit: () => T | Promise<T>
  onClose: () => void
  /** Once it is closed. */
  onDone?: (result: T) => void
  children: ReactNode
}

/** Does one thing with what is entered: once, however often it is asked for, and it stays open with all of it if it fails. */
export function FormDialog<T>({ title, action, look = 'primary', ready = true, guarded, onSubmit, onClose, onDone, children }: FormDialogProps<T>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const submit = () => {
    if (busy || !ready) return
    setBusy(true)
    setError(null)
    const work = async () => onSubmit()
    work().then(
      (result) => {
        onClose()
        onDone?.(result)
      },
      (failed: unknown) => {
        setError(failed)
        setBusy(false)
      },
    )
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      locked={busy}
      guarded={guarded}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" look={look} busy={busy} disabled={!ready}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {error ? <Failure error={error} /> : null}
    </Dialog>
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
  const [text, setText] = useState('')
  return (
    <FormDialog title={title} action={action} look={calm ? 'primary' : 'danger'} guarded={false} ready={typed === undefined || text === typed} onSubmit={onConfirm} onClose={onClose}>
      {children}
      {typed === undefined ? null : <TextField label={`Type ${typed} to confirm`} value={text} onChange={(event) => setText(event.target.value)} />}
    </FormDialog>
  )
}

interface DiscardProps {
  /** What becomes of it. */
  children: ReactNode
  action?: string
  onKeep: () => void
  onDiscard: () => void
}

/** Asks before what was entered is lost; whoever presses Enter keeps it. */
export function Discard({ children, action = 'Discard', onKeep, onDiscard }: DiscardProps) {
  return (
    <Dialog
      title="Discard what you entered?"
      onClose={onKeep}
      actions={
        <>
          <Button data-first onClick={onKeep}>
            Keep editing
          </Button>
          <Button look="danger" onClick={onDiscard}>
            {action}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  )
}

interface ShownOnceProps {
  title: string
  /** Whose it is, say. */
  children?: ReactNode
  /** What a screen reader calls it. */
  label: string
  text: string
  /** Of the button that copies it; none for what is no text. */
  copy?: string
  onClose: () => void
}

/** A secret that the server keeps no copy of: no Escape and no slip of the mouse takes it away. */
export function ShownOnce({ title, children, label, text, copy, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} locked onClose={onClose} actions={<Button onClick={onClose}>I have kept it</Button>}>
      <p>{children} Keep it now: it is not shown again.</p>
      <Code label={label}>{text}</Code>
      {copy ? <CopyButton text={text} label={copy} /> : null}
    </Dialog>
  )
}
