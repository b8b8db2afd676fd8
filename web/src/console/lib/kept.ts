/** What was entered and not saved yet, kept while the page is open: whoever looks at another page finds it again. */

import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from 'react'

const kept = new Map<string, unknown>()
const unsaved = new Set<string>()
let owner = ''

/** Nobody finds what somebody else entered. */
export function keepFor(account: string) {
  if (account === owner) return
  owner = account
  kept.clear()
  unsaved.clear()
}

/** As state, and there again where its page is opened again. */
export function useKept<T>(name: string, start: T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => (kept.has(name) ? (kept.get(name) as T) : start))
  useEffect(() => {
    kept.set(name, value)
  }, [name, value])
  return [value, setValue]
}

/** While anything is, the browser asks before it closes or reloads the page. */
export function useUnsaved(name: string, is: boolean) {
  const mark = useCallback(() => {
    if (is) unsaved.add(name)
    else unsaved.delete(name)
  }, [name, is])
  useEffect(mark, [mark])
}

/** Whether somebody would lose what was entered. */
export const anyUnsaved = () => unsaved.size > 0

/** The browser's own question; its words cannot be chosen. */
export function askBeforeUnload() {
  window.addEventListener('beforeunload', (event) => {
    if (anyUnsaved()) event.preventDefault()
  })
}
