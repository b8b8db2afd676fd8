import { useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { X } from 'lucide-react'
import { dismiss, toastStore, type Toast } from '@/ui/toast-store'
import { IconButton } from './button'
import { topDialog } from './dialog'

const earlier = new WeakMap<Element, ReadonlySet<number>>()

/** The messages that were there when a dialog opened: they stay behind it, or they would seem to be of it. */
function before(dialog: Element): ReadonlySet<number> {
  const known = earlier.get(dialog)
  if (known) return known
  const ids = new Set(toastStore.get().map((toast) => toast.id))
  earlier.set(dialog, ids)
  return ids
}

/** Short messages. The regions are always there: readers announce only what changes inside of them. What a dialog leaves
 * behind is inert, so that messages that come while one is open stand inside it. */
export function Toasts() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get)
  const dialog = useSyncExternalStore(topDialog.subscribe, topDialog.get)
  if (!dialog) return <Regions label="Notifications" toasts={toasts} />
  const old = before(dialog)
  return (
    <>
      <Regions label="Notifications" toasts={toasts.filter((toast) => old.has(toast.id))} />
      {createPortal(<Regions label="Notifications of this dialog" toasts={toasts.filter((toast) => !old.has(toast.id))} />, dialog)}
    </>
  )
}

function Regions({ label, toasts }: { label: string; toasts: readonly Toast[] }) {
  const drawn = (variant: 'default' | 'destructive') =>
    toasts
      .filter((toast) => toast.variant === variant)
      .map((toast) => (
        <div key={toast.id} className={`toast ${variant}`}>
          <div className="grow">
            <strong>{toast.title}</strong>
            {toast.description ? <p>{toast.description}</p> : null}
          </div>
          <IconButton label="Dismiss" onClick={() => dismiss(toast.id)}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      ))
  return (
    <section aria-label={label} className="toasts">
      <div role="alert">{drawn('destructive')}</div>
      <div role="status">{drawn('default')}</div>
    </section>
  )
}
