/** Short messages for the visitor: `toast()` from anywhere, shown by `<Toaster>`. */

export interface Toast {
  id: number
  title: string
  description?: string
  variant: 'default' | 'destructive'
}

/** How long a message stays, in milliseconds; failures stay longer because they ask for something. */
const LIFETIME_MS = { default: 6000, destructive: 10_000 }
const SHOWN_AT_MOST = 3

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function publish(next: readonly Toast[]): void {
  toasts = next
  notify()
}

export function toast({ title, description, variant = 'default' }: Omit<Toast, 'id' | 'variant'> & { variant?: Toast['variant'] }): void {
  const id = nextId
  nextId += 1
  publish([...toasts, { id, title, description, variant }].slice(-SHOWN_AT_MOST))
  setTimeout(() => dismiss(id), LIFETIME_MS[variant])
}

export function dismiss(id: number): void {
  publish(toasts.filter((shown) => shown.id !== id))
}

/** Where messages stand: in the uppermost open dialog, which covers all else, or on the page. */
let hosts: readonly symbol[] = []

function notify(): void {
  for (const listener of listeners) listener()
}

export function addHost(host: symbol): () => void {
  hosts = [...hosts, host]
  notify()
  return () => {
    hosts = hosts.filter((other) => other !== host)
    notify()
  }
}

export const toastStore = {
  host: () => hosts.at(-1) ?? null,
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: () => toasts,
}
