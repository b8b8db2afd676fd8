import { expect, test } from 'vitest'
import { quickStartBody } from './quick-start-body'
import { quickStartForm } from './schemas/quick-start'
import { validate } from './validate'

const typed = { facilityName: 'Harbor Dental', facilityType: 'dental-office', contactName: 'Sam', email: 'sam@harbor.example', phone: '508-555-0117' }

test('a known location fills in city, state and price', () => {
  const body = quickStartBody({ ...typed, location: 'capecod', message: '' })
  expect(body).toMatchObject({
    quickStartService: true,
    promotionAmount: 99,
    pickupFrequency: 'monthly',
    services: ['medical-waste'],
    wasteVolume: 'small',
    city: 'Cape Cod',
    state: 'MA',
    serviceLocation: 'Cape Cod, MA',
    formattedMessage: 'Quick Start Service for monthly pickup',
  })
  expect(validate(quickStartForm, body)).toEqual({})
})

test('an unknown location is passed on as written, at the default price', () => {
  expect(quickStartBody({ ...typed, location: 'Burlington' })).toMatchObject({ serviceLocation: 'Burlington', city: '', state: '', promotionAmount: 99 })
})

test('a message is appended to the summary', () => {
  expect(quickStartBody({ ...typed, location: 'boston', message: ' Two chairs. ' }).formattedMessage).toBe('Quick Start Service for monthly pickup - Two chairs.')
})
