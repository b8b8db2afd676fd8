/** Links of an article that lead out of this site. */

// Browsers skip these inside a scheme: 'java\nscript:' runs. The characters are the point.
// oxlint-disable-next-line no-control-regex
export const INVISIBLE = /[\u0000-\u0020\u00a0\u1680\u180e\u2000-\u2029\u205f\u3000]/g

const isExternal = (href: string) => /^(?:https?:)?\/\//i.test(href.replace(INVISIBLE, ''))

/** A link out of this site opens beside it and learns nothing of the page it came from. */
export function openOutside(link: Element): void {
  const href = link.getAttribute('href')
  if (href === null || !isExternal(href)) return
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer')
}
