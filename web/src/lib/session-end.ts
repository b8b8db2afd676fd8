/** Who kept something of a session is told when it ends; who signs in and out need not know who that is, nor load it. */
const listeners = new Set<() => void>()

export function onSessionEnd(listener: () => void): void {
  listeners.add(listener)
}

export function tellSessionEnd(): void {
  for (const listener of listeners) listener()
}
