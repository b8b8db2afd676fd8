import { format } from 'date-fns'

/** A timestamp as lists show it: 'Mar 4, 2026', in the reader's time zone. */
export const shortDate = (timestamp: string) => format(new Date(timestamp), 'MMM d, yyyy')

/** A timestamp as an article shows it: 'March 4, 2026'. */
export const longDate = (timestamp: string) => format(new Date(timestamp), 'MMMM d, yyyy')

/** Date and time of day: 'Mar 4, 2026, 2:05 PM'. */
export const dateTime = (timestamp: string) => format(new Date(timestamp), 'MMM d, yyyy, h:mm a')
