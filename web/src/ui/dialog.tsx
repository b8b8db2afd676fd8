import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** Escape and the corner button are refused, as while an upload runs. */
  locked?: boolean
}

/** The platform's modal dialog: focus trap, Escape and inert background come with it. */
export function Dialog({ open, onClose, title, children, locked = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()

  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
  }, [open])

  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onClose={onClose}
      onCancel={(event) => {
        if (locked) event.preventDefault()
      }}
      className="m-auto max-h-[92dvh] w-[min(44rem,calc(100vw-2rem))] overflow-auto rounded-lg bg-white p-6 text-ink shadow-deep backdrop:bg-harbor-950/60 sm:p-8"
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
              onClick={() => ref.current?.close()}
              className="-mt-1 -mr-2 grid size-10 place-items-center rounded-md text-granite-600 hover:bg-granite-100 disabled:opacity-50"
            >
              <X aria-hidden="true" className="size-5" />
            </button>
          </div>
          {children}
        </>
      ) : null}
    </dialog>
  )
}
