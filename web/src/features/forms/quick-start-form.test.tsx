import { screen, waitFor } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { QuickStartForm } from './quick-start-form'
import { calls, show, field, type, press, events } from './testing'

describe('Quick Start', () => {
  const fill = () => {
    type(/Facility Name/, 'Harbor Dental')
    type(/Facility Type/, 'dental-office')
    type(/Contact Name/, 'Sam Ortiz')
    type(/^Email/, 'sam@harbordental.example')
    type(/^Phone/, '508-555-0117')
  }

  test.each(['', 'hartford'])('a form that nobody touched was not started (%s)', (location) => {
    show(<QuickStartForm location={location} />)
    expect(events('umw_quote_started')).toEqual([])
  })

  test('the location of the address is chosen, sent with its price, and kept afterwards', async () => {
    show(<QuickStartForm location="hartford" />)
    expect(field(/Service Location/)).toHaveValue('hartford')
    fill()
    await press('Request Quick Start Service')
    expect(await screen.findByText('Quick Start Request Submitted!')).toBeVisible()
    expect(screen.getByText("Thank you! We'll contact you within 24 hours to set up your quick start service.")).toBeVisible()
    expect(calls[0]).toMatchObject({ name: 'submit-quote', body: { quickStartService: true, promotionAmount: 99, serviceLocation: 'Hartford, CT', state: 'CT', wasteVolume: 'small' } })
    expect(field(/Service Location/)).toHaveValue('hartford')
    expect(field(/Facility Name/)).toHaveValue('')
    expect(events('umw_quote_started')).toMatchObject([{ form_type: 'quick_quote' }])
    expect(events('umw_quick_start_conversion')).toMatchObject([{ facility_type: 'dental-office', services: 'medical-waste', pickup_frequency: 'monthly', estimated_volume: 'small' }])
  })

  test('an unknown location can be chosen as it was written', async () => {
    show(<QuickStartForm location="Burlington" />)
    fill()
    await press('Request Quick Start Service')
    await waitFor(() => expect(calls[0]?.body).toMatchObject({ location: 'Burlington', serviceLocation: 'Burlington' }))
  })

  test('without a location one is asked for', async () => {
    show(<QuickStartForm location="" />)
    fill()
    await press('Request Quick Start Service')
    expect(field(/Service Location/)).toHaveAccessibleDescription('Choose the area where you need service.')
    expect(calls).toHaveLength(0)
  })
})
