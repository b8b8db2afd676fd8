/** What a Quick Start request sends beyond the visitor's own words. */
import { findLocation } from '@/content/locations'
import type { Values } from './schema'

export const DEFAULT_PRICE = 99
const SUMMARY = 'Quick Start Service for monthly pickup'

/** `values` as typed → the body of `submit-quote`. An unknown location is passed on as it was written. */
export function quickStartBody(values: Values): Values {
  const key = String(values.location ?? '').trim()
  const location = findLocation(key)
  const message = String(values.message ?? '').trim()
  return {
    ...values,
    quickStartService: true,
    promotionAmount: location?.quickStartPrice ?? DEFAULT_PRICE,
    pickupFrequency: 'monthly',
    services: ['medical-waste'],
    wasteVolume: 'small',
    city: location?.city ?? '',
    state: location?.stateAbbr ?? '',
    serviceLocation: location ? `${location.displayName}, ${location.stateAbbr}` : key,
    formattedMessage: message ? `${SUMMARY} - ${message}` : SUMMARY,
  }
}
