import { useCallback, useState } from 'react'

/** What a person arranged in this browser: pins, theme, widths. Never a key, a token or a row. */
export function usePreference<T>(name: string, fallback: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => readPreference(name, fallback))
  const keep = useCallback(
    (next: T) => {
      setValue(next)
      try {
        localStorage.setItem(`console.${name}`, JSON.stringify(next))
      } catch {
        // A full or forbidden storage costs the preference and nothing else.
      }
    },
    [name],
  )
  return [value, keep]
}

export function readPreference<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`console.${name}`)
    return text === null ? fallback : (JSON.parse(text) as T)
  } catch {
    return fallback
  }
}
