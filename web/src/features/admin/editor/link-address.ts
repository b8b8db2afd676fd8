import { measuresOf } from '@/lib/pictures'

/** What a writer types as a link, as an address: 'osha.gov/bbp' gets its scheme, an e-mail address its mailto. */
export function linkAddress(typed: string): string {
  const text = typed.trim()
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(text)) return `mailto:${text}`
  // A dot before the first slash, and no scheme: a host name, not a path of this site.
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?(?:[/?#]|$)/i.test(text) ? `https://${text}` : text
}

/** Whether a picture of pasted text lies on this site, so that nobody else can change or lose it. */
export function isOwnAddress(address: string): boolean {
  if (!isPictureAddress(address)) return false
  return new URL(address.trim(), window.location.origin).origin === window.location.origin || measuresOf(address.trim()) !== null
}

/** Whether a picture can be shown from here: an address of the web or of this site, never a file's own bytes. */
export function isPictureAddress(address: string): boolean {
  const text = address.trim()
  // The site's own rules keep pictures without encryption from being shown.
  if (/^https:\/\/[^\s/]/i.test(text)) return URL.canParse(text)
  return /^\/(?![/\\])\S+$/.test(text)
}
