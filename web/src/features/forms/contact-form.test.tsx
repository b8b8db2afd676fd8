import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { ContactForm } from './contact-form'
import { calls, replies, show, field, type, press, events } from './testing'

describe('contact', () => {
  const fill = () => {
    type(/^Name/, 'Priya Raman')
    type(/^Email/, 'priya@northshore.example')
    type(/^Subject/, 'Extra pickup')
    type(/^Message/, 'We have two full boxes.')
  }

  test('normal priority is chosen, sent, and chosen again afterwards', async () => {
    show(<ContactForm />)
    expect(screen.getByLabelText('Normal (next business day)')).toBeChecked()
    fill()
    await userEvent.click(screen.getByLabelText('Urgent (same day)'))
    await press('Send Message')
    expect(await screen.findByText('Message Sent!')).toBeVisible()
    expect(screen.getByText("Thank you for contacting us. We'll respond within 24 hours.")).toBeVisible()
    expect(calls[0]).toMatchObject({ name: 'submit-contact', body: { name: 'Priya Raman', priority: 'urgent', honeypot: '' } })
    expect(events('contact')).toEqual([{ event: 'contact', form_type: 'contact_form', priority_level: 'urgent', subject: 'Extra pickup' }])
    expect(screen.getByLabelText('Normal (next business day)')).toBeChecked()
    expect(field(/^Message/)).toHaveValue('')
  })

  test('an emergency is recorded before it is sent', async () => {
    replies.push({ data: { ok: false, error: 'No.' }, error: null })
    show(<ContactForm />)
    fill()
    await userEvent.click(screen.getByLabelText('Emergency (24hr response)'))
    await press('Send Message')
    expect(await screen.findByText('Submission error')).toBeVisible()
    expect(events('umw_emergency_request')).toEqual([{ event: 'umw_emergency_request', priority: 'emergency', timestamp: expect.any(String) }])
    expect(events('contact')).toEqual([])
    expect(field(/^Message/)).toHaveValue('We have two full boxes.')
  })
})
