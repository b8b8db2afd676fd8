import { use } from 'react'
import { Template } from '@/lib/control-flow'
import { longDate, shortDate } from '@/lib/dates'

/** The day of an article in words. */
export function PublishedDate({ at, format, before = '' }: { at: string; format: 'short' | 'long'; before?: string }) {
  const template = use(Template)
  const write = format === 'short' ? shortDate : longDate
  return <time dateTime={at}>{before}{template ? template.date(at, format) : write(at)}</time>
}
