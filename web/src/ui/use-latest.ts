import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * The newest value, for a listener that is added once. It is there before the browser takes the next event: after a
 * passive effect, a key pressed right behind the one before would still meet the value of before.
 */
export function useLatest<Value>(value: Value): Readonly<RefObject<Value>> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
