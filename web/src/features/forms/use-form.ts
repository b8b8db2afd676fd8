/** The state of one form: values, errors beside fields, sending, waiting for the connection, and its draft. */
import { type ComponentProps, type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLatest } from '@/ui/use-latest'
import { toast } from '@/ui/toast-store'
import { clearDraft, idempotencyKey, readDraft, readWaiting, writeDraft, writeWaiting } from './draft'
import { type FieldSchema, type FormSchema, type Values, emptyValues, fieldOf } from './schema'
import { useNavigate } from 'react-router-dom'
import { requestNumber } from './request-number'
import { Unreachable, prepareSubmit, submitForm } from './submit'
import { takeTyped } from './typed'
import { isShown, validate } from './validate'
import { whenOnline } from './when-online'

export const DEFAULT_FAILURE = 'Something went wrong. Please try again.'

const CHANGED_SINCE = { title: 'Your last change was not sent', description: 'You changed the form while it was on its way. Send it once more, and we go by the newer one.' }

export interface FormOptions {
  schema: FormSchema
  /** Values on top of the schema's defaults, such as the location from the address. */
  initial?: Values
  /** Remembered like what is typed. */
  keepInitial?: boolean
  /** Kept for the tab's lifetime; off for small forms. */
  keepDraft?: boolean
  failureTitle: string
  success: { title: string; description: string }
  /** The page of its own that a sent form leads to. */
  sentPage?: string
  /** The body as the function wants it; the values themselves by default. */
  toBody?: (values: Values) => Values
  /** A filled trap shows no message at all. */
  silentTrap?: boolean
  onFirstEdit?: () => void
  onInvalid?: (errors: Record<string, string>) => void
  onSubmit?: (values: Values) => void
  onSuccess?: (values: Values) => void
}

export type FormStatus = 'idle' | 'sending' | 'waiting'

export interface Form {
  schema: FormSchema
  values: Values
  errors: Record<string, string>
  status: FormStatus
  /** False in prerendered HTML: nothing could receive a submit yet. */
  ready: boolean
  trap: { value: string; onChange: (value: string) => void }
  set: (name: string, value: unknown) => void
  /** What the last attempt to send was refused for, as far as it is still so. */
  refused: Record<string, string>
  /** Checks one field when the visitor leaves it. */
  check: (name: string) => void
  /** Brings a field into view and the cursor into it. */
  show: (name: string) => void
  /** Checks some fields, empty ones too; the names of those that are wrong. */
  checkAll: (names: readonly string[]) => string[]
  shows: (field: FieldSchema) => boolean
  /** What the form element must have. */
  element: Pick<ComponentProps<'form'>, 'ref' | 'name' | 'method' | 'noValidate' | 'onSubmit'>
}

export function useForm(options: FormOptions): Form {
  const { schema, keepDraft = true, initial } = options
  const navigate = useNavigate()
  const fresh = () => ({ ...emptyValues(schema), ...initial })
  const [values, setValues] = useState<Values>(fresh)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [status, setStatus] = useState<FormStatus>('idle')
  const [ready, setReady] = useState(false)
  const [trapValue, setTrapValue] = useState('')
  const [attempted, setAttempted] = useState<readonly string[]>([])
  const started = useRef(false)
  const element = useRef<HTMLFormElement>(null)
  const newest = useLatest(values)
  const gone = useRef(false)
  useLayoutEffect(() => {
    gone.current = false
    return () => {
      gone.current = true
    }
  }, [])

  // After the first render, because prerendered HTML knows nothing of this tab; before the next one, which would
  // set the fields to what is known here.
  useLayoutEffect(() => {
    setReady(true)
    const draft = keepDraft ? readDraft(schema) : null
    const { typed, trap } = element.current ? takeTyped(schema, element.current) : { typed: {}, trap: '' }
    const held = { ...values, ...draft, ...joined(initial, draft), ...typed }
    setValues(held)
    // What the way here chose is remembered like what is typed.
    if (options.keepInitial && Object.keys(initial ?? {}).length > 0) writeDraft(schema.form, held)
    setTrapValue(trap)
    if (draft && readWaiting(schema.form)) setStatus('waiting')
    if (Object.keys(typed).some((name) => typed[name] !== initial?.[name])) {
      begin()
      if (keepDraft) writeDraft(schema.form, held)
    }
    // Only once: later changes come from the visitor.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])

  const begin = () => {
    if (started.current) return
    started.current = true
    prepareSubmit()
    options.onFirstEdit?.()
  }

  const set = (name: string, value: unknown) => {
    begin()
    const next = { ...values, [name]: value }
    setValues(next)
    if (keepDraft) writeDraft(schema.form, next)
    // A message goes as soon as its cause is gone, and only then.
    if (errors[name] !== undefined) setErrors(validateSome(schema, next, Object.keys(errors)))
  }

  const check = (name: string) => {
    const value = values[name]
    if (typeof value === 'string' && value.trim() === '') return
    setErrors((current) => ({ ...omit(current, name), ...validateSome(schema, values, [name]) }))
  }

  const send = async () => {
    const body = { ...(options.toBody?.(values) ?? allValues(schema, values)), [schema.honeypot]: trapValue }
    const silent = options.silentTrap === true && trapValue !== ''
    setStatus('sending')
    try {
      const key = idempotencyKey(schema.form, body)
      await submitForm(schema, body, key)
      if (!silent) {
        toast(options.success)
        options.onSuccess?.(values)
        if (JSON.stringify(newest.current) !== JSON.stringify(values) && !gone.current) {
          // Who goes on typing on a slow connection corrects something: it is neither sent nor thrown away.
          toast(CHANGED_SINCE)
          writeWaiting(schema.form, false)
          setStatus('idle')
          return
        }
        clearDraft(schema.form)
        setValues(fresh())
        setErrors({})
        started.current = false
        // Whoever has gone on to another page is not called back from it.
        if (options.sentPage && !gone.current) void navigate(options.sentPage, { state: { number: requestNumber(key), priority: values.contactPriority ?? values.priority } })
      }
      setStatus('idle')
    } catch (error) {
      if (error instanceof Unreachable && !navigator.onLine) {
        if (keepDraft) writeWaiting(schema.form, true)
        setStatus('waiting')
        if (gone.current) whenOnline(schema.form, () => void latestSend.current())
        return
      }
      if (keepDraft) writeWaiting(schema.form, false)
      setStatus('idle')
      if (silent) return
      const message = error instanceof Error ? error.message : ''
      toast({ title: options.failureTitle, description: message || DEFAULT_FAILURE, variant: 'destructive' })
    }
  }

  // The newest `send` without making it a reason to listen anew.
  const latestSend = useLatest(send)
  useEffect(() => {
    if (status !== 'waiting') return undefined
    const end = whenOnline(schema.form, () => void latestSend.current())
    return () => {
      // It was promised to be sent, on whatever page one is by then.
      if (!gone.current) end()
    }
  }, [status, latestSend, schema.form])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (status === 'sending') return
    const found = validate(schema, options.toBody?.(values) ?? values)
    setErrors(found)
    setAttempted(Object.keys(found))
    if (Object.keys(found).length > 0) {
      options.onInvalid?.(found)
      focusFirst(event.currentTarget, schema, found)
      return
    }
    options.onSubmit?.(values)
    void send()
  }

  return {
    schema,
    values,
    errors,
    status,
    ready,
    trap: { value: trapValue, onChange: setTrapValue },
    set,
    check,
    show: (name) => showField(element.current, name),
    refused: Object.fromEntries(Object.entries(errors).filter(([name]) => attempted.includes(name))),
    checkAll: (names) => {
      const found = validateSome(schema, values, [...names])
      setErrors((all) => ({ ...Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name))), ...found }))
      return names.filter((name) => found[name] !== undefined)
    },
    shows: (field) => isShown(field, values),
    element: { ref: element, name: schema.form, method: 'post', noValidate: true, onSubmit: submit },
  }
}

/** What the way here has chosen, beside what was chosen before. */
function joined(initial: Values | undefined, draft: Values | null): Values {
  return Object.fromEntries(
    Object.entries(initial ?? {}).map(([name, value]) => {
      const before = draft?.[name]
      return [name, Array.isArray(value) && Array.isArray(before) ? [...new Set([...(before as unknown[]), ...(value as unknown[])])] : value]
    }),
  )
}

function validateSome(schema: FormSchema, values: Values, names: string[]): Record<string, string> {
  const all = validate(schema, values)
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
}

/** Every field, as the call wants it: what is hidden is sent empty, whatever it held before. */
function allValues(schema: FormSchema, values: Values): Values {
  const empty = emptyValues(schema)
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isShown(fieldOf(schema, name), values) ? value : empty[name]]))
}

function omit(record: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name))
}

function focusFirst(form: HTMLFormElement, schema: FormSchema, errors: Record<string, string>): void {
  const first = schema.fields.find(({ name }) => errors[name] !== undefined)
  if (first) showField(form, first.name)
}

function showField(form: HTMLFormElement | null, name: string): void {
  const control = form?.querySelector<HTMLElement>(`[name="${name}"]`)
  control?.scrollIntoView({ block: 'center' })
  control?.focus({ preventScroll: true })
}
