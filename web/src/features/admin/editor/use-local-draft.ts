import { useEffect, useRef, useState } from 'react'
import { type LocalDraft, holdDraft, removeDraft, writeDraft } from './local-draft'
import type { PostForm } from './post-form'

/** At most this much work is lost. */
const INTERVAL_MS = 2000

interface LocalDraftState {
  /** When the draft was last written, in milliseconds since the epoch; 'failed' when it cannot be. */
  kept: number | 'failed' | null
  /** Forgets the draft and keeps none until there is a next change. */
  forget: () => void
}

/** Keeps `form` under `key` while it is dirty: every two seconds, and at once when the page goes away. */
export function useLocalDraft(key: string, form: PostForm, dirty: boolean, version: string | null): LocalDraftState {
  const [kept, setKept] = useState<LocalDraftState['kept']>(null)
  const pending = useRef<LocalDraft | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const flush = useRef(() => undefined as void)
  useEffect(() => {
    flush.current = () => {
      clearTimeout(timer.current)
      timer.current = undefined
      const draft = pending.current
      pending.current = null
      if (draft) setKept(writeDraft(key, draft) ? draft.savedAt : 'failed')
    }
  }, [key])

  const written = useRef(false)
  useEffect(() => {
    if (!dirty) {
      // Back to what is stored: there is nothing left to keep. A draft from before this visit is not ours to drop.
      pending.current = null
      if (written.current) removeDraft(key)
      written.current = false
      return
    }
    written.current = true
    pending.current = { form, version, savedAt: Date.now() }
    timer.current ??= setTimeout(() => flush.current(), INTERVAL_MS)
  }, [key, form, dirty, version])

  useEffect(() => {
    const release = holdDraft(key)
    const leave = () => flush.current()
    window.addEventListener('pagehide', leave)
    document.addEventListener('visibilitychange', leave)
    return () => {
      leave()
      window.removeEventListener('pagehide', leave)
      document.removeEventListener('visibilitychange', leave)
      release()
    }
  }, [key])

  return {
    kept,
    forget: () => {
      clearTimeout(timer.current)
      timer.current = undefined
      pending.current = null
      removeDraft(key)
      setKept(null)
    },
  }
}
