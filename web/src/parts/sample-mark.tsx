import { type SampleName, samples } from '@/content/samples'
import { paths } from '@/lib/paths'

/** Beside what is invented: small, the same everywhere, and it leads to where it is explained. */
export function SampleMark({ of, className = 'text-granite-600 decoration-granite-400' }: { of: SampleName; className?: string }) {
  if (!samples[of]) return null
  return (
    // A page load, for the browser finds the section by itself.
    <a href={paths.samples} className={`inline-block rounded-sm py-1 text-xs underline decoration-dotted underline-offset-3 ${className}`}>
      Sample data
    </a>
  )
}
