/** Towns by route day. Each hub's own towns come first; the others lie on the way. */
import type { CityKey } from '@/lib/paths'

export interface RouteDay {
  day: string
  towns: readonly string[]
  /** How the truck gets there, where no road leads. */
  by?: 'ferry'
}

export const routeDays: Record<CityKey, readonly RouteDay[]> = {
  worcester: [
    { day: 'Monday', towns: ['Worcester', 'Shrewsbury', 'Westborough'] },
    { day: 'Tuesday', towns: ['Auburn', 'Oxford', 'Webster'] },
    { day: 'Wednesday', towns: ['Worcester', 'Holden', 'Paxton'] },
    { day: 'Thursday', towns: ['Millbury', 'Grafton', 'Sutton'] },
    { day: 'Friday', towns: ['Leicester', 'Spencer', 'Sturbridge'] },
  ],
  boston: [
    { day: 'Monday', towns: ['Boston', 'Brookline', 'Newton'] },
    { day: 'Tuesday', towns: ['Cambridge', 'Somerville', 'Medford'] },
    { day: 'Wednesday', towns: ['Boston', 'Quincy', 'Milton'] },
    { day: 'Thursday', towns: ['Cambridge', 'Watertown', 'Waltham'] },
    { day: 'Friday', towns: ['Boston', 'Chelsea', 'Revere'] },
  ],
  providence: [
    { day: 'Monday', towns: ['Providence', 'Cranston', 'Johnston'] },
    { day: 'Tuesday', towns: ['Pawtucket', 'Central Falls', 'Lincoln'] },
    { day: 'Wednesday', towns: ['Warwick', 'East Greenwich', 'Coventry'] },
    { day: 'Thursday', towns: ['Providence', 'East Providence', 'Barrington'] },
    { day: 'Friday', towns: ['Newport', 'Middletown', 'Bristol'] },
  ],
  capecod: [
    { day: 'Monday', towns: ['Barnstable', 'Hyannis', 'Yarmouth'] },
    { day: 'Tuesday', towns: ['Falmouth', 'Mashpee', 'Bourne'] },
    { day: 'Wednesday', towns: ['Martha’s Vineyard'], by: 'ferry' },
    { day: 'Thursday', towns: ['Dennis', 'Harwich', 'Orleans'] },
    { day: 'Friday', towns: ['Nantucket'], by: 'ferry' },
  ],
  hartford: [
    { day: 'Monday', towns: ['Hartford', 'West Hartford', 'Farmington'] },
    { day: 'Tuesday', towns: ['East Hartford', 'Manchester', 'Vernon'] },
    { day: 'Wednesday', towns: ['New Britain', 'Newington', 'Berlin'] },
    { day: 'Thursday', towns: ['Hartford', 'Windsor', 'Bloomfield'] },
    { day: 'Friday', towns: ['Glastonbury', 'Middletown', 'Meriden'] },
  ],
}
