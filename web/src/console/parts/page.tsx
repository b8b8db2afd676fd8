import { clsx } from 'clsx'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'

/** One page of the console: its name, what one can do there, the rest. */
export function Page({ title, lead, actions, children, full }: { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode; full?: boolean }) {
  const ref = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – Console`
  }, [title])
  return (
    <div className={clsx('page', full && 'full')}>
      <header className="page-head">
        <div className="grow">
          <h1 ref={ref} tabIndex={-1}>
            {title}
          </h1>
          {lead ? <div className="lead">{lead}</div> : null}
        </div>
        {actions ? <div className="actions">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="section">
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {actions ? <div className="actions">{actions}</div> : null}
      </div>
      {children}
    </section>
  )
}

export function Badge({ tone = 'calm', children }: { tone?: 'calm' | 'good' | 'warn' | 'bad'; children: ReactNode }) {
  return <span className={clsx('badge', tone)}>{children}</span>
}

/** Names and values, one under the other. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Code({ children, label }: { children: string; label: string }) {
  return (
    // Scrolls by keyboard as well.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="code" tabIndex={0} role="group" aria-label={label}>
      <code>{children}</code>
    </pre>
  )
}

export interface Tab {
  id: string
  label: string
}

/** The tab list's usual keys: arrows, Home and End. */
export function Tabs({ label, tabs, current, onChange, children }: { label: string; tabs: readonly Tab[]; current: string; onChange: (id: string) => void; children: ReactNode }) {
  const base = useId()
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex((tab) => tab.id === current)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = tabs[(to + tabs.length) % tabs.length]
    if (!next) return
    onChange(next.id)
    document.getElementById(`${base}-${next.id}`)?.focus()
  }
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs" onKeyDown={move} tabIndex={-1}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            aria-selected={tab.id === current}
            aria-controls={tab.id === current ? `${base}-panel` : undefined}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => onChange(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${current}`} className="tab-panel">
        {children}
      </div>
    </>
  )
}
