/** The sanitized body of an article, ready to be read. */
import { sanitizedFragment } from '@/lib/html'
import { makeReadable } from './readable'

export function articleHtml(html: string): string {
  const fragment = sanitizedFragment(html)
  makeReadable(fragment)
  const holder = document.createElement('div')
  holder.append(fragment)
  return holder.innerHTML
}
