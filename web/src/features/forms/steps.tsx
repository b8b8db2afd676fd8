/** A long form in steps: where one is, what is done, and the way to the next. All of it stays on one page. */
import { type ReactNode, useRef } from 'react'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import type { Form } from './use-form'
import { validate } from './validate'

export interface Step {
  id: string
  title: string
  /** The fields that are asked for in it. */
  fields: readonly string[]
}

/** Whether nothing is missing in a step. */
const isDone = (form: Form, { fields }: Step, missing: Record<string, string>) =>
  fields.every((name) => missing[name] === undefined) && fields.some((name) => String(form.values[name] ?? '') !== '')

export function StepProgress({ form, steps }: { form: Form; steps: readonly Step[] }) {
  const missing = validate(form.schema, form.values)
  const done = steps.map((step) => isDone(form, step, missing))
  const current = Math.max(0, done.includes(false) ? done.indexOf(false) : steps.length - 1)
  const percent = Math.round((done.filter(Boolean).length / steps.length) * 100)
  return (
    <div className="sticky top-0 z-10 -mx-6 border-b border-granite-200 bg-white/95 px-6 py-3 sm:-mx-9 sm:px-9">
      <p className="text-sm font-semibold">
        Step {current + 1} of {steps.length}
        <span className="font-normal text-granite-600">: {steps[current]?.title}</span>
      </p>
      <div role="progressbar" aria-label="Quote request" aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100} aria-valuetext={`Step ${current + 1} of ${steps.length}`} className="mt-2 h-1.5 overflow-hidden rounded-full bg-granite-100">
        <div className="h-full rounded-full bg-harbor-700 transition-[width]" style={{ width: `${percent}%` }} />
      </div>
      <ol className="mt-2 hidden gap-6 text-sm sm:flex">
        {steps.map((step, index) => (
          <li key={step.id} aria-current={index === current ? 'step' : undefined}>
            <a href={`#${step.id}`} className={`inline-flex items-center gap-1.5 rounded-sm py-1 hover:underline ${index === current ? 'font-semibold text-harbor-700' : 'text-granite-600'}`}>
              {done[index] ? <Icon name="done" className="size-4 text-success" /> : <span className="tabular-nums">{index + 1}.</span>}
              {step.title}
              {done[index] ? <span className="sr-only">, done</span> : null}
            </a>
          </li>
        ))}
      </ol>
    </div>
  )
}

interface FormStepProps {
  form: Form
  steps: readonly Step[]
  index: number
  children: ReactNode
}

/** One step: its fields, and the way on, which looks at them first. */
export function FormStep({ form, steps, index, children }: FormStepProps) {
  const box = useRef<HTMLDivElement>(null)
  const step = steps[index]
  const next = steps[index + 1]
  if (!step) return null
  const goOn = () => {
    const wrong = form.checkAll(step.fields)
    const name = wrong[0]
    const target = name ? box.current?.querySelector<HTMLElement>(`[name="${name}"]`) : document.getElementById(next?.id ?? '')
    target?.scrollIntoView({ block: name ? 'center' : 'start' })
    target?.focus({ preventScroll: true })
  }
  return (
    <div ref={box} role="group" aria-labelledby={`${step.id}-title`} id={step.id} tabIndex={-1} className={`grid scroll-mt-32 gap-5 outline-none ${index > 0 ? 'border-t border-granite-200 pt-7' : ''}`}>
      <h3 id={`${step.id}-title`} className="flex items-center gap-3 text-h4">
        <span aria-hidden="true" className="grid size-7 place-items-center rounded-full bg-harbor-950 text-sm font-bold text-gold-400">
          {index + 1}
        </span>
        {step.title}
      </h3>
      {children}
      {next ? (
        <div>
          <Button variant="outline" onClick={goOn}>
            Continue to step {index + 2}
            <Icon name="forward" />
          </Button>
        </div>
      ) : null}
    </div>
  )
}
