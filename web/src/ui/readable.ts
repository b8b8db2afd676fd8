/**
 * Makes the safe markup of an article ready to be read, in place: headings can be linked to, wide tables scroll by
 * themselves. What is ready already stays as it is.
 */
import { openOutside } from '@/lib/outside-links'
import { measuresOf } from '@/lib/pictures'

const HEADINGS = 'h1, h2, h3, h4, h5, h6'

/** What every id of an article begins with, here and where the server renders it: none of the page's own does. */
export const ID_PREFIX = 'on-'

/** With the prefix, once: what came with the page has it already. */
const prefixed = (id: string) => (id.startsWith(ID_PREFIX) ? id : ID_PREFIX + id)

function prefixIds(body: ParentNode): void {
  for (const element of body.querySelectorAll('[id]')) element.id = prefixed(element.id)
  for (const link of body.querySelectorAll('a[href^="#"]')) {
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

function nameHeadings(body: ParentNode): void {
  const taken = new Set([...body.querySelectorAll('[id]')].map((element) => element.id))
  for (const heading of body.querySelectorAll(HEADINGS)) {
    const text = heading.textContent?.trim() ?? ''
    if (text === '' || heading.querySelector('.heading-anchor')) continue
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

function wrapTables(body: ParentNode): void {
  for (const table of body.querySelectorAll('table')) {
    if (table.parentElement?.classList.contains('table-scroll')) continue
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

export function makeReadable(body: ParentNode): void {
  prefixIds(body)
  nameHeadings(body)
  wrapTables(body)
  for (const image of body.querySelectorAll('img')) {
    image.loading = 'lazy'
    // The site's own rules keep what is not encrypted from being shown.
    const address = image.getAttribute('src') ?? ''
    if (/^http:/i.test(address)) image.setAttribute('src', address.replace(/^http:/i, 'https:'))
    // Without the attribute readers spell out the address.
    image.alt = image.getAttribute('alt') ?? ''
    const measures = image.hasAttribute('width') ? null : measuresOf(image.getAttribute('src') ?? '')
    for (const [name, value] of Object.entries(measures ?? {})) image.setAttribute(name, value)
  }
  for (const link of body.querySelectorAll('a')) openOutside(link)
  for (const code of body.querySelectorAll('pre')) code.tabIndex = 0
}
