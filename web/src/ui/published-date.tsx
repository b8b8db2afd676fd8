import { use } from 'react'
import { Template } from '@/lib/control-flow'
import { longDate, shortDate } from '@/lib/dates'

/** The day of an article in words. */
export function PublishedDate({ at, format }: { at: string; format: 'short' | 'long' }) {
  const template = use(Template)
  const write = format === 'short' ? shortDate : longDate
  return <time dateTime={at}>{template ? template.date(at, format) : write(at)}</time>
}
