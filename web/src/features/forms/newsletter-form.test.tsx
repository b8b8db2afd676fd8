import { screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import NewsletterForm from './newsletter-form'
import { calls, replies, show, field, type, press, events } from './testing'

describe('newsletter', () => {
  const fill = () => {
    type(/First Name/, 'Lena')
    type(/Last Name/, 'Okafor')
    type(/Email Address/, 'lena@bayclinic.example')
  }

  test('a subscription is thanked for and recorded', async () => {
    show(<NewsletterForm />)
    fill()
    await press('Subscribe')
    expect(await screen.findByText('Successfully Subscribed!')).toBeVisible()
    expect(screen.getByText('Thank you for subscribing to our newsletter.')).toBeVisible()
    expect(calls[0]).toMatchObject({ name: 'submit-newsletter', body: { firstName: 'Lena', lastName: 'Okafor', email: 'lena@bayclinic.example', honeypot: '' } })
    expect(events('sign_up')).toEqual([{ event: 'sign_up', method: 'newsletter', source: 'footer' }])
    expect(field(/Email Address/)).toHaveValue('')
  })

  test('a failure has its own title', async () => {
    replies.push({ data: null, error: { name: 'FunctionsFetchError' } })
    show(<NewsletterForm />)
    fill()
    await press('Subscribe')
    expect(await screen.findByText('Subscription failed')).toBeVisible()
    expect(screen.getByText('Something went wrong. Please try again.')).toBeVisible()
    expect(field(/First Name/)).toHaveValue('Lena')
  })
})
