/** A grey stand-in with the size of the text or picture to come: `className` gives that size. */
export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden="true" className={`animate-pulse rounded-md bg-granite-100 ${className}`} />
}
