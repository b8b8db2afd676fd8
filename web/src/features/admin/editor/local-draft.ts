/**
 * Unsaved work, kept in this browser: a crash, a closed tab or an expired session loses at most the last seconds.
 * A stored post has one draft; each new post has its own until it is saved.
 */
import { uuid } from '@/lib/uuid'
import { type PostForm, emptyForm } from './post-form'

export interface LocalDraft {
  form: PostForm
  /** `updated_at` of the version it was made from; null for a new post. */
  version: string | null
  /** Milliseconds since the epoch. */
  savedAt: number
}

const PREFIX = 'umw:post-draft:'
const NEW = `${PREFIX}new-`
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

export const draftKey = (postId: string) => PREFIX + postId
export const newDraftKey = () => NEW + uuid()

/** The id that a new post will be stored with: as long as its draft lives, each attempt is known as the same post. */
export const idOfNewDraft = (key: string) => key.slice(NEW.length)

export function writeDraft(key: string, draft: LocalDraft): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft))
    return true
  } catch {
    // Full or switched off; the editor says that nothing is kept.
    return false
  }
}

export function readDraft(key: string): LocalDraft | null {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? 'null') as LocalDraft | null
    if (!draft || typeof draft.savedAt !== 'number' || typeof draft.form?.content !== 'string' || !Array.isArray(draft.form.tags)) return null
    // One that was kept before a field existed has it empty.
    return { ...draft, form: { ...emptyForm, ...draft.form } }
  } catch {
    return null
  }
}

export function removeDraft(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Then there was none.
  }
}

function keys(prefix: string): string[] {
  try {
    return Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '').filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}

interface Found {
  key: string
  draft: LocalDraft
}

/** Drafts of new posts, the latest first. */
function newDrafts(): Found[] {
  const found = keys(NEW).flatMap((key) => {
    const draft = readDraft(key)
    return draft ? [{ key, draft }] : []
  })
  return found.sort((a, b) => b.draft.savedAt - a.draft.savedAt)
}

/** The latest unsaved new post that no tab is writing right now. */
export async function findNewDraft(): Promise<Found | null> {
  const held = new Set((await navigator.locks?.query?.())?.held?.map(({ name }) => name))
  return newDrafts().find(({ key }) => !held.has(key)) ?? null
}

/** The latest unsaved new post, whoever is writing it. */
export const findLatestNewDraft = (): LocalDraft | null => newDrafts()[0]?.draft ?? null

/** Marks a draft as being written in this tab, until the function it returns is called. */
export function holdDraft(key: string): () => void {
  let release: (() => void) | undefined
  let over = false
  void navigator.locks?.request(key, { ifAvailable: true }, () => (over ? undefined : new Promise<void>((resolve) => (release = resolve))))
  return () => {
    over = true
    release?.()
  }
}

/** Drops what nobody came back for. */
export function dropOldDrafts(now = Date.now()): void {
  for (const key of keys(PREFIX)) {
    const draft = readDraft(key)
    if (!draft || draft.savedAt < now - KEPT_MS) removeDraft(key)
  }
}
