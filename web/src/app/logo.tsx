/** The mark: a hexagonal container seen from above with a cross, lit from one side. */
export function LogoMark({ className = 'size-10' }: { className?: string }) {
  return (
    <svg viewBox="0 0 40 40" aria-hidden="true" className={className}>
      <path d="M20 2.5 36 11.5v17L20 37.5 4 28.5v-17z" fill="#0f5d6b" />
      <path d="M20 2.5 36 11.5v17L20 37.5z" fill="#0a2a35" />
      <path d="M36 11.5v17L20 37.5v-3.6l12.8-7.2V13.3z" fill="#f4b93a" />
      <path d="M17 11h6v6h6v6h-6v6h-6v-6h-6v-6h6z" fill="#fff" />
    </svg>
  )
}

export function Logo({ onDark }: { onDark?: boolean }) {
  return (
    <span className="flex items-center gap-3">
      <span className={onDark ? 'rounded-md bg-white p-1' : ''}>
        <LogoMark className={onDark ? 'size-8' : 'size-10'} />
      </span>
      <span className={`font-display text-[1.0625rem] leading-[1.1] font-extrabold tracking-tight ${onDark ? 'text-white' : 'text-ink'}`}>
        United
        <br />
        Medical Waste
      </span>
    </span>
  )
}
