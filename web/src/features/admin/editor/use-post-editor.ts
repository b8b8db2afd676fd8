/**
 * One post being edited: its fields, what of them is saved, and everything that can come between the two.
 *
 *   clean ──edit──▶ dirty ──save──▶ saving ──▶ saved (leaves for the list)
 *                     ▲                │
 *                     └── failed, conflict or gone: the text stays
 */
import { useEffect, useRef, useState } from 'react'
import { uuid } from '@/lib/uuid'
import { RequestError } from '@/lib/results'
import { toast } from '@/ui/toast-store'
import { type SaveOutcome, createPost, updatePost } from '../api/save-post'
import { modernHtml } from '../document/article'
import { type LeaveGuard, useLeaveGuard } from '../use-leave-guard'
import { type LocalDraft, draftKey, dropOldDrafts, findNewDraft, idOfNewDraft, newDraftKey, readDraft, removeDraft } from './local-draft'
import { type FieldErrors, type Post, type PostForm, type PostPayload, emptyForm, fieldErrorsOf, formOf, payloadOf, sameForm, savedMessage } from './post-form'
import { useLocalDraft } from './use-local-draft'

export interface PostEditor {
  isNew: boolean
  /** The fields as they are stored. */
  stored: PostForm
  /** `updated_at` of what is stored; null for a new post. */
  version: string | null
  form: PostForm
  errors: FieldErrors
  /** Why the last save was refused, where no field is to blame; '' else. */
  refusal: string
  /** How many saves were refused; each one shows its reason anew. */
  refusals: number
  dirty: boolean
  /** Which of the two buttons is at work. */
  saving: 'draft' | 'publish' | null
  /** Changes with each document put in from outside of the text field. */
  documentId: number
  /** See useLocalDraft. */
  kept: number | 'failed' | null
  draftKey: string
  offered: LocalDraft | null
  conflict: Post | null
  gone: boolean
  guard: LeaveGuard
  change: (fields: Partial<PostForm>) => void
  /** Replaces all fields, as a restored version does. */
  load: (form: PostForm) => void
  save: (publish: boolean) => void
  restore: (draft: LocalDraft) => void
  discard: () => void
  keepEditing: () => void
  takeTheirs: (theirs: Post) => void
  overwrite: (theirs: Post) => void
  saveAsNew: () => void
}

/** `post` is null for a new one. `onSaved` runs once it is stored. */
export function usePostEditor(post: Post | null, onSaved: () => void): PostEditor {
  const [base, setBase] = useState(() => ({ form: post ? formOf(post, post.published) : emptyForm, version: post?.updated_at ?? null }))
  const [form, setForm] = useState(base.form)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [saving, setSaving] = useState<PostEditor['saving']>(null)
  const [documentId, setDocumentId] = useState(0)
  const [stalled, setStalled] = useState<{ outcome: Exclude<SaveOutcome, { kind: 'saved' }>; publish: boolean } | null>(null)
  const [leaving, setLeaving] = useState(false)
  const [refusal, setRefusal] = useState('')
  const [refusals, setRefusals] = useState(0)
  const former = useRef<PostPayload | null>(null)
  const [key, setKey] = useState(() => (post ? draftKey(post.id) : newDraftKey()))
  const [offered, setOffered] = useState<{ key: string; draft: LocalDraft } | null>(null)

  const dirty = !leaving && !sameForm(form, base.form)
  const local = useLocalDraft(key, form, dirty, base.version)
  const guard = useLeaveGuard(dirty)

  useEffect(() => {
    let current = true
    const offer = async () => {
      dropOldDrafts()
      const own = post ? readDraft(key) : null
      const found = post ? own && { key, draft: own } : await findNewDraft()
      if (current && found && !sameForm(found.draft.form, base.form)) setOffered(found)
    }
    void offer()
    return () => {
      current = false
    }
    // Only what a former visit left behind is offered, so only once.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])

  const load = (next: PostForm) => {
    setForm(next)
    setErrors({})
    setDocumentId((id) => id + 1)
  }

  const refuse = (fields: FieldErrors, reason: string) => {
    setErrors(fields)
    setRefusal(reason)
    setRefusals((count) => count + 1)
  }

  const store = async (publish: boolean, id: string | null, version: string | null, newId = idOfNewDraft(key)) => {
    if (form.title.trim() === '') {
      refuse({ title: 'Title is required' }, '')
      toast({ title: 'Error', description: 'Title is required', variant: 'destructive' })
      return
    }
    setErrors({})
    setRefusal('')
    setSaving(publish ? 'publish' : 'draft')
    try {
      const content = form.content === base.form.content ? form.content : modernHtml(form.content)
      const payload = payloadOf({ ...form, content }, publish, new Date())
      const sent = former.current
      if (id === null) former.current = payload
      const outcome = id !== null && version !== null ? await updatePost(id, payload, version) : await createPost(newId, payload, sent)
      if (outcome.kind === 'saved') {
        local.forget()
        setStalled(null)
        setLeaving(true)
        toast({ title: 'Success', description: savedMessage(id === null, publish) })
        onSaved()
      } else setStalled({ outcome, publish })
    } catch (error) {
      console.error('The post could not be saved:', error)
      refuse(fieldErrorsOf(error instanceof Error ? error.message : ''), reasonOf(error))
      setStalled(null)
      toast({ title: 'Error', description: 'Failed to save post', variant: 'destructive' })
    } finally {
      setSaving(null)
    }
  }

  return {
    isNew: post === null,
    stored: base.form,
    version: base.version,
    form,
    errors,
    refusal,
    refusals,
    dirty,
    saving,
    documentId,
    kept: local.kept,
    draftKey: key,
    offered: offered?.draft ?? null,
    conflict: stalled?.outcome.kind === 'conflict' ? stalled.outcome.theirs : null,
    gone: stalled?.outcome.kind === 'gone',
    guard,
    change: (fields) => setForm((current) => ({ ...current, ...fields })),
    load,
    save: (publish) => void store(publish, post?.id ?? null, base.version),
    restore: (draft) => {
      // Saving then meets whatever was stored since the draft was made, instead of replacing it.
      if (draft.version !== null) setBase({ ...base, version: draft.version })
      if (offered) setKey(offered.key)
      setOffered(null)
      load(draft.form)
    },
    discard: () => {
      if (offered) removeDraft(offered.key)
      setOffered(null)
    },
    keepEditing: () => setStalled(null),
    takeTheirs: (theirs) => {
      const next = formOf(theirs, theirs.published)
      setBase({ form: next, version: theirs.updated_at })
      setStalled(null)
      load(next)
    },
    overwrite: (theirs) => void store(stalled?.publish ?? false, theirs.id, theirs.updated_at),
    saveAsNew: () => void store(stalled?.publish ?? false, null, null, uuid()),
  }
}

/** What a writer can make of a failed save. */
function reasonOf(error: unknown): string {
  if (!(error instanceof RequestError)) return 'The site could not be reached. Your text is kept; try again.'
  if (error.status === 0) return 'The server did not answer. Your text is kept; try again.'
  if (error.status === 401 || error.status === 403) return 'Your session has ended, or you may not write posts. Log in again in another tab, then save.'
  return error.message ? `The server refused it: ${error.message}` : 'The server could not store it. Your text is kept; try again.'
}
