/**
 * Timestamps as people read them, in the reader's time zone. Twelve names stand here because a phone takes as long to
 * make its first `Intl.DateTimeFormat` as to take over the rest of the page.
 */
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'] as const

const dayWith = (month: (name: string) => string) => (timestamp: string) => {
  const at = new Date(timestamp)
  // Postgres knows times that JavaScript does not, such as `infinity`.
  const name = MONTHS[at.getMonth()]
  return name === undefined ? timestamp : `${month(name)} ${at.getDate()}, ${at.getFullYear()}`
}

/** A timestamp as lists show it (MMM d, yyyy): 'Mar 4, 2026'. */
export const shortDate = dayWith((name) => name.slice(0, 3))

/** A timestamp as an article shows it (MMMM d, yyyy): 'March 4, 2026'. */
export const longDate = dayWith((name) => name)

/** Date and time of day: 'Mar 4, 2026, 2:05 PM'. */
export function dateTime(timestamp: string): string {
  const at = new Date(timestamp)
  const day = shortDate(timestamp)
  if (day === timestamp) return timestamp
  const hours = at.getHours()
  return `${day}, ${hours % 12 || 12}:${String(at.getMinutes()).padStart(2, '0')} ${hours < 12 ? 'AM' : 'PM'}`
}
