/** Timestamps as people read them, in the reader's time zone. The browser knows the names of the months itself. */

const formatOf = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-US', options)
  return (timestamp: string) => format.format(new Date(timestamp))
}

/** A timestamp as lists show it (MMM d, yyyy): 'Mar 4, 2026'. */
export const shortDate = formatOf({ year: 'numeric', month: 'short', day: 'numeric' })

/** A timestamp as an article shows it (MMMM d, yyyy): 'March 4, 2026'. */
export const longDate = formatOf({ year: 'numeric', month: 'long', day: 'numeric' })

const timeOfDay = formatOf({ hour: 'numeric', minute: '2-digit' })

/** Date and time of day: 'Mar 4, 2026, 2:05 PM'. Browsers differ in the space that they put before AM and PM. */
export const dateTime = (timestamp: string) => `${shortDate(timestamp)}, ${timeOfDay(timestamp).replace(/\s/u, ' ')}`
