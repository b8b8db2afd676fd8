import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { DialogToasts } from './toast'

interface DialogProps {
  open: boolean
  /** Whoever looks has closed it; never called while `locked`. */
  onClose?: () => void
  title: string
  children: ReactNode
  /** Escape and the corner button do nothing, as while an upload runs. */
  locked?: boolean
  /** For what needs room, such as a table. */
  wide?: boolean
}

/**
 * The platform's modal dialog: focus trap, Escape and inert background come with it. Title, messages and
 * `DialogActions` stay in view while the rest scrolls.
 */
export function Dialog({ open, onClose, title, children, locked = false, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()

  // With the commit and not after it: an event in between would meet a dialog that is not yet what `open` says.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
  }, [open])

  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // A file chooser inside tells of its own end by the same event.
        if (event.target !== ref.current) return
        event.preventDefault()
        if (!locked) onClose?.()
      }}
      // What closed it has been asked above; the word of it comes later, when another question may stand here already.
      // A browser lets nobody refuse a second Escape: what is still open then comes back.
      onClose={() => {
        if (open && !ref.current?.open) ref.current?.showModal()
      }}
      className={`m-auto max-h-[92dvh] flex-col overflow-hidden rounded-lg bg-white px-6 pt-6 text-ink shadow-deep backdrop:bg-harbor-950/60 open:flex sm:px-8 sm:pt-8 ${wide ? 'w-[min(60rem,calc(100vw-2rem))]' : 'w-[min(44rem,calc(100vw-2rem))]'}`}
    >
      {open ? (
        <>
          <div className="mb-5 flex items-start justify-between gap-4">
            <h2 id={titleId} className="text-h3">
              {title}
            </h2>
            <button
              type="button"
              aria-label="Close dialog"
              disabled={locked}
              onClick={onClose}
              className="-mt-1 -mr-2 grid size-10 place-items-center rounded-md text-granite-600 hover:bg-granite-100 disabled:opacity-50"
            >
              <X aria-hidden="true" className="size-5" />
            </button>
          </div>
          <DialogToasts />
          <div className="-mx-6 min-h-0 overflow-auto px-6 pb-6 sm:-mx-8 sm:px-8 sm:pb-8">{children}</div>
        </>
      ) : null}
    </dialog>
  )
}

/** A dialog's buttons, in view however long its content is. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-6 z-10 -mx-6 -mb-6 flex flex-wrap justify-end gap-3 border-t border-granite-200 bg-white px-6 py-4 sm:-bottom-8 sm:-mx-8 sm:-mb-8 sm:px-8">
      {children}
    </div>
  )
}
