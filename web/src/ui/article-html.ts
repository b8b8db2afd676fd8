/** The sanitized body of an article, ready to be read: headings can be linked to, wide tables scroll by themselves. */
import { sanitizedFragment } from '@/lib/html'

const HEADINGS = 'h1, h2, h3, h4, h5, h6'

/** What every id of an article begins with, here and where the server renders it: none of the page's own does. */
export const ID_PREFIX = 'on-'

/** With the prefix, once: what came with the page has it already. */
const prefixed = (id: string) => (id.startsWith(ID_PREFIX) ? id : ID_PREFIX + id)

function prefixIds(fragment: DocumentFragment): void {
  for (const element of fragment.querySelectorAll('[id]')) element.id = prefixed(element.id)
  for (const link of fragment.querySelectorAll('a[href^="#"]')) {
    const target = link.getAttribute('href')?.slice(1)
    if (target) link.setAttribute('href', `#${prefixed(target)}`)
  }
}

/** 'What counts as "sharps"?' → 'what-counts-as-sharps' */
const anchorName = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')

function nameHeadings(fragment: DocumentFragment): void {
  const taken = new Set([...fragment.querySelectorAll('[id]')].map((element) => element.id))
  for (const heading of fragment.querySelectorAll(HEADINGS)) {
    const text = heading.textContent?.trim() ?? ''
    if (text === '') continue
    if (heading.id === '') heading.id = unusedName(anchorName(text) || 'section', taken)
    const link = document.createElement('a')
    link.className = 'heading-anchor'
    link.href = `#${heading.id}`
    link.setAttribute('aria-label', `Link to section "${text}"`)
    link.textContent = '#'
    heading.append(link)
  }
}

/** The name as an id, numbered if the article has it already. */
function unusedName(name: string, taken: Set<string>): string {
  const base = ID_PREFIX + name
  let unused = base
  for (let number = 2; taken.has(unused); number += 1) unused = `${base}-${number}`
  taken.add(unused)
  return unused
}

function wrapTables(fragment: DocumentFragment): void {
  for (const table of fragment.querySelectorAll('table')) {
    const scroll = document.createElement('div')
    scroll.className = 'table-scroll'
    // What scrolls must be reachable with the keyboard.
    scroll.tabIndex = 0
    scroll.setAttribute('role', 'group')
    scroll.setAttribute('aria-label', 'Table')
    table.replaceWith(scroll)
    scroll.append(table)
  }
}

export function articleHtml(html: string): string {
  const fragment = sanitizedFragment(html)
  prefixIds(fragment)
  nameHeadings(fragment)
  wrapTables(fragment)
  for (const image of fragment.querySelectorAll('img')) {
    image.loading = 'lazy'
    // The site's own rules keep what is not encrypted from being shown.
    image.setAttribute('src', (image.getAttribute('src') ?? '').replace(/^http:/i, 'https:'))
    // Without the attribute readers spell out the address.
    image.alt = image.getAttribute('alt') ?? ''
  }
  for (const code of fragment.querySelectorAll('pre')) code.tabIndex = 0
  const holder = document.createElement('div')
  holder.append(fragment)
  return holder.innerHTML
}
