/** A text field whose value reaches the address a moment after the last key, and which follows the address back. */
import { useEffect, useRef, useState } from 'react'

const DELAY_MS = 300

interface DelayedText {
  text: string
  setText: (text: string) => void
  /** Applies at once, as Enter does. */
  flush: () => void
  /** Sets text and value together, as a Clear button does. */
  reset: (text: string) => void
}

/** `value` is what counts now; `apply` is called with each new one; `typed` stands in the field already. */
export function useDebouncedText(value: string, apply: (value: string) => void, typed = value): DelayedText {
  const [text, setText] = useState(typed)
  // What this field applied last: any other value came from elsewhere, such as Back, and belongs into the field.
  const applied = useRef(value)
  const latestApply = useRef(apply)
  useEffect(() => {
    latestApply.current = apply
  })

  useEffect(() => {
    if (value === applied.current) return
    applied.current = value
    setText(value)
  }, [value])

  const flush = (next = text.trim()) => {
    if (next === applied.current) return
    applied.current = next
    latestApply.current(next)
  }

  useEffect(() => {
    const timer = setTimeout(flush, DELAY_MS, text.trim())
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- `flush` reads nothing else that changes
  }, [text])

  return {
    text,
    setText,
    flush: () => flush(),
    reset: (next) => {
      applied.current = next
      setText(next)
    },
  }
}
