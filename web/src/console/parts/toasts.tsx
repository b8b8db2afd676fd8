import { useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { X } from 'lucide-react'
import { dismiss, toastStore } from '@/ui/toast-store'
import { IconButton } from './button'
import { topDialog } from './dialog'

/** Short messages. The regions are always there: readers announce only what changes inside of them. */
export function Toasts() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get)
  const dialog = useSyncExternalStore(topDialog.subscribe, topDialog.get)
  const drawn = (variant: 'default' | 'destructive') =>
    toasts
      .filter((toast) => toast.variant === variant)
      .map((toast) => (
        <div key={toast.id} className={`toast ${variant}`}>
          <div className="grow">
            <strong>{toast.title}</strong>
            {toast.description ? <p>{toast.description}</p> : null}
          </div>
          <IconButton label={`Dismiss: ${toast.title}`} onClick={() => dismiss(toast.id)}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      ))
  const regions = (
    <section aria-label="Notifications" className="toasts">
      <div role="alert">{drawn('destructive')}</div>
      <div role="status">{drawn('default')}</div>
    </section>
  )
  return dialog ? createPortal(regions, dialog) : regions
}
