import { useEffect, useState, useSyncExternalStore } from 'react'
import { Icon } from './icon'
import { type Toast, addHost, dismiss, toastStore } from './toast-store'

export { toast } from './toast-store'

const nothing: readonly Toast[] = []

const nowhere = () => null

/** The messages that stand here. The regions are always there, because readers announce only what changes inside them. */
function useToasts(host: symbol | null): readonly Toast[] {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get, () => nothing)
  return useSyncExternalStore(toastStore.subscribe, toastStore.host, nowhere) === host ? toasts : nothing
}

/** On the page; mounted once. */
export function Toaster() {
  const toasts = useToasts(null)
  return (
    <section aria-label="Notifications" className="no-print toaster pointer-events-none fixed right-0 bottom-0 z-50 grid w-full max-w-md gap-3 p-4">
      <Regions toasts={toasts} />
    </section>
  )
}

/** Inside of an open dialog: what stands on the page is under it. */
export function DialogToasts() {
  const [host] = useState(() => Symbol('dialog'))
  useEffect(() => addHost(host), [host])
  const toasts = useToasts(host)
  return (
    <section aria-label="Notifications" className="grid gap-2 empty:hidden [&:has(div>div)]:mb-4">
      <Regions toasts={toasts} />
    </section>
  )
}

function Regions({ toasts }: { toasts: readonly Toast[] }) {
  return (
    <>
      <div role="alert" className="grid gap-3">
        {toasts.filter(({ variant }) => variant === 'destructive').map((shown) => <ToastCard key={shown.id} {...shown} />)}
      </div>
      <div role="status" className="grid gap-3">
        {toasts.filter(({ variant }) => variant === 'default').map((shown) => <ToastCard key={shown.id} {...shown} />)}
      </div>
    </>
  )
}

function ToastCard({ id, title, description, variant }: Toast) {
  const failed = variant === 'destructive'
  return (
    <div className={`pointer-events-auto flex animate-rise items-start gap-3 rounded-lg border-l-4 bg-white p-4 pr-2 shadow-deep ${failed ? 'border-danger' : 'border-success'}`}>
      <Icon name={failed ? 'alert' : 'done'} className={`mt-0.5 size-5 shrink-0 ${failed ? 'text-danger' : 'text-success'}`} />
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-semibold">{title}</p>
        {description ? <p className="mt-0.5 break-words text-granite-600">{description}</p> : null}
      </div>
      <button type="button" aria-label={`Dismiss: ${title}`} onClick={() => dismiss(id)} className="grid size-9 shrink-0 place-items-center rounded-md text-granite-600 hover:bg-granite-100">
        <Icon name="close" className="size-4" />
      </button>
    </div>
  )
}
