/** Depth lines of a harbour chart, behind the dark bands. */
export function Contours({ className = '' }: { className?: string }) {
  return <div aria-hidden="true" className={`contours pointer-events-none absolute inset-0 ${className}`} />
}
