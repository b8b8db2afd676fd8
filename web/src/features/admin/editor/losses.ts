/** What an article has that the visual editor does not show, and would not keep once the text is edited there. */
import { sanitizedFragment } from '@/lib/html'

const CHECKS: readonly [string, string][] = [
  ['sections', 'div'],
  ['styled spans', 'span:not(.ql-strike)'],
  ['anchors', '[id]'],
  ['tooltips', '[title]'],
  ['blocks inside list items', 'li > :is(p:not(:only-of-type), h1, h2, h3, h4, h5, h6, blockquote, pre)'],
  ['lists or headings inside quotations', 'blockquote :is(h1, h2, h3, h4, h5, h6, ul, ol, pre)'],
]

export function lossesOf(html: string): string[] {
  const fragment = sanitizedFragment(html)
  // Tables travel through the editor untouched, whatever is in them.
  for (const table of fragment.querySelectorAll('table')) table.remove()
  const losses = CHECKS.filter(([, selector]) => fragment.querySelector(selector) !== null).map(([name]) => name)
  const breaks = [...fragment.querySelectorAll('br')].some((br) => br.nextSibling !== null)
  return breaks ? [...losses, 'line breaks inside paragraphs'] : losses
}
