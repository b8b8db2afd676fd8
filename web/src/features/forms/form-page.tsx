import type { ReactNode } from 'react'
import { InTurn } from '@/parts/in-turn'
import { ScriptNote } from './form-parts'

/** Form on the left, what helps to fill it in on the right. */
export function FormPage({ form, aside }: { form: ReactNode; aside: ReactNode }) {
  return (
    <div className="bg-granite-50 py-12 lg:py-16">
      <div className="container grid items-start gap-8 lg:grid-cols-[1fr_21rem] lg:gap-10">
        <InTurn>{form}</InTurn>
        <InTurn>
          <div className="grid gap-5 md:max-lg:grid-cols-2">{aside}</div>
        </InTurn>
      </div>
    </div>
  )
}

export function FormCard({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="rounded-lg border border-granite-200 bg-white p-6 shadow-soft sm:p-9">
      <h2 className="text-h3">{title}</h2>
      <p className="mt-2 text-granite-600">{text}</p>
      <p className="mt-2 text-xs text-granite-600">
        Fields marked <span className="text-danger">*</span> are required.
      </p>
      <div className="mt-7">
        <ScriptNote />
        {children}
      </div>
    </div>
  )
}
