/** The five service hubs with a page of their own, and the six states. */
import type { CityKey } from '@/lib/paths'

export interface Location {
  key: CityKey
  displayName: string
  city: string
  state: string
  stateAbbr: string
  /** US dollars a month for the Quick Start service. */
  quickStartPrice: number
  serviceAreas: readonly string[]
}

export const locations: readonly Location[] = [
  {
    key: 'worcester',
    displayName: 'Worcester',
    city: 'Worcester',
    state: 'Massachusetts',
    stateAbbr: 'MA',
    quickStartPrice: 99,
    serviceAreas: ['Worcester', 'Shrewsbury', 'Auburn', 'Millbury'],
  },
  {
    key: 'boston',
    displayName: 'Boston',
    city: 'Boston',
    state: 'Massachusetts',
    stateAbbr: 'MA',
    quickStartPrice: 99,
    serviceAreas: ['Boston', 'Cambridge', 'Somerville', 'Brookline'],
  },
  {
    key: 'providence',
    displayName: 'Providence',
    city: 'Providence',
    state: 'Rhode Island',
    stateAbbr: 'RI',
    quickStartPrice: 99,
    serviceAreas: ['Providence', 'Cranston', 'Warwick', 'Pawtucket'],
  },
  {
    key: 'capecod',
    displayName: 'Cape Cod',
    city: 'Cape Cod',
    state: 'Massachusetts',
    stateAbbr: 'MA',
    quickStartPrice: 99,
    serviceAreas: ['Barnstable', 'Hyannis', 'Falmouth', 'Dennis'],
  },
  {
    key: 'hartford',
    displayName: 'Hartford',
    city: 'Hartford',
    state: 'Connecticut',
    stateAbbr: 'CT',
    quickStartPrice: 99,
    serviceAreas: ['Hartford', 'West Hartford', 'East Hartford', 'New Britain'],
  },
]

export const findLocation = (key: string): Location | undefined => locations.find((location) => location.key === key)

/** A location that is known to exist. */
export function locationOf(key: CityKey): Location {
  const found = findLocation(key)
  if (!found) throw new Error(`Unknown location ${key}`)
  return found
}

export const states = [
  { name: 'Maine', abbr: 'ME' },
  { name: 'New Hampshire', abbr: 'NH' },
  { name: 'Vermont', abbr: 'VT' },
  { name: 'Massachusetts', abbr: 'MA' },
  { name: 'Rhode Island', abbr: 'RI' },
  { name: 'Connecticut', abbr: 'CT' },
] as const

export type StateAbbr = (typeof states)[number]['abbr']
