import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { dismiss, toastStore } from '@/ui/toast-store'
import { ContactForm } from './contact-form'
import NewsletterForm from './newsletter-form'
import { QuickStartForm } from './quick-start-form'
import { QuoteForm } from './quote-form'

interface Call {
  name: string
  body: Record<string, unknown>
  headers: Record<string, string>
}
type Reply = { data: { ok?: boolean; error?: string } | null; error: { name: string; context?: unknown } | null }

const accepted: Reply = { data: { ok: true }, error: null }
const calls: Call[] = []
let replies: (Reply | Promise<Reply>)[] = []

vi.mock('@/lib/client', () => ({
  client: () => ({
    functions: {
      invoke: async (name: string, { body, headers }: { body: Record<string, unknown>; headers: Record<string, string> }) => {
        calls.push({ name, body, headers })
        return replies.shift() ?? accepted
      },
    },
  }),
}))

beforeEach(() => {
  calls.length = 0
  replies = []
  for (const { id } of toastStore.get()) dismiss(id)
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
})

const show = (form: React.ReactNode) =>
  renderAt(
    '/',
    <>
      {form}
      <Toaster />
    </>,
  )
const field = (name: RegExp) => screen.getByLabelText(name)
const type = (name: RegExp, value: string) => fireEvent.change(field(name), { target: { value } })
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const events = (name: string) => (window.dataLayer ?? []).filter((event) => 'event' in event && event.event === name)
const trap = () => document.querySelector<HTMLInputElement>('[name="leave-empty"]')

function fillQuote() {
  type(/Facility Name/, 'Elm Park Family Medicine')
  type(/Facility Type/, 'medical-practice')
  type(/Contact Name/, 'Dana Whitcomb')
  type(/^Email/, 'dana@elmpark.example')
  type(/^Phone/, '508-555-0142')
  type(/Waste Volume/, '1-2')
  type(/Pickup Frequency/, 'monthly')
}

describe('quote', () => {
  test('a complete request is sent, thanked for, recorded, and the form is empty again', async () => {
    show(<QuoteForm />)
    fillQuote()
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    await press('Submit Quote Request')
    expect(await screen.findByText('Quote Request Submitted!')).toBeVisible()
    expect(screen.getByText("Thank you for your request. We'll contact you within 24 hours with a customized quote.")).toBeVisible()
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ name: 'submit-quote', body: { facilityName: 'Elm Park Family Medicine', services: ['sharps'], quickStartService: false, company: '' } })
    expect(calls[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
    expect(events('generate_lead')).toEqual([
      { event: 'generate_lead', form_type: 'quote_request', facility_type: 'medical-practice', services: 'sharps', pickup_frequency: 'monthly', estimated_volume: '1-2', currency: 'USD' },
    ])
    expect(field(/Facility Name/)).toHaveValue('')
    expect(sessionStorage).toHaveLength(0)
  })

  test('without a service it asks for one, in a toast and beside the boxes', async () => {
    show(<QuoteForm />)
    fillQuote()
    await press('Submit Quote Request')
    expect(within(screen.getByRole('alert')).getByText('Services Required')).toBeVisible()
    expect(screen.getAllByText('Please select at least one service.')).toHaveLength(2)
    expect(calls).toHaveLength(0)
  })

  test('the number of employees is asked only with training or consulting, and then required', async () => {
    show(<QuoteForm />)
    fillQuote()
    expect(screen.queryByLabelText(/Number of Employees/)).toBeNull()
    await userEvent.click(screen.getByLabelText('Compliance Training'))
    await press('Submit Quote Request')
    expect(field(/Number of Employees/)).toHaveAccessibleDescription('Choose how many employees need training or advice.')
    expect(calls).toHaveLength(0)
    await userEvent.click(screen.getByLabelText('Compliance Training'))
    await userEvent.click(screen.getByLabelText('Medical Waste Collection'))
    expect(screen.queryByLabelText(/Number of Employees/)).toBeNull()
    await press('Submit Quote Request')
    await waitFor(() => expect(calls).toHaveLength(1))
    expect(calls[0]?.body).not.toHaveProperty('employeeCount')
  })

  test('messages belong to their fields, the first of which gets the focus, and go with their cause', async () => {
    show(<QuoteForm />)
    await press('Submit Quote Request')
    expect(field(/Facility Name/)).toHaveFocus()
    expect(field(/Facility Name/)).toBeInvalid()
    expect(field(/^Email/)).toHaveAccessibleDescription('Enter an email address such as name@example.com.')
    type(/^Email/, 'dana@elmpark.example')
    expect(field(/^Email/)).not.toBeInvalid()
  })

  test('a field is checked when it is left, but not while it is empty', () => {
    show(<QuoteForm />)
    const complaint = () => field(/^Email/).hasAttribute('aria-invalid')
    fireEvent.blur(field(/^Email/))
    expect(complaint()).toBe(false)
    type(/^Email/, 'dana@')
    expect(complaint()).toBe(false)
    fireEvent.blur(field(/^Email/))
    expect(complaint()).toBe(true)
  })

  test('the start is recorded once, and each choice of a service', async () => {
    show(<QuoteForm />)
    type(/Facility Name/, 'A')
    type(/Facility Name/, 'AB')
    expect(events('umw_quote_started')).toEqual([{ event: 'umw_quote_started', form_type: 'full_quote', timestamp: expect.any(String) }])
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    expect(events('select_content')).toMatchObject([
      { item_id: 'sharps', action: 'selected' },
      { item_id: 'sharps', action: 'deselected' },
    ])
  })

  test.each<[string, Reply, string]>([
    ['the server’s words', { data: { ok: false, error: 'We could not store your request.' }, error: null }, 'We could not store your request.'],
    ['a refusal without words', { data: { ok: false }, error: null }, 'Submission failed'],
    ['an answer without ok', { data: null, error: null }, 'Submission failed'],
    [
      'an error status with words',
      { data: null, error: { name: 'FunctionsHttpError', context: new Response('{"ok":false,"error":"Too many requests."}', { status: 429 }) } },
      'Too many requests.',
    ],
    ['an error status without words', { data: null, error: { name: 'FunctionsHttpError', context: new Response('oops', { status: 500 }) } }, 'Something went wrong. Please try again.'],
    ['no answer at all', { data: null, error: { name: 'FunctionsFetchError' } }, 'Something went wrong. Please try again.'],
  ])('a failure is told (%s) and the form kept; the retry carries the same key', async (_title, reply, message) => {
    replies = [reply]
    show(<QuoteForm />)
    fillQuote()
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    await press('Submit Quote Request')
    expect(await screen.findByText('Submission error')).toBeVisible()
    expect(within(screen.getByRole('alert')).getByText(message)).toBeVisible()
    expect(field(/Facility Name/)).toHaveValue('Elm Park Family Medicine')
    await press('Submit Quote Request')
    expect(await screen.findByText('Quote Request Submitted!')).toBeVisible()
    expect(calls[1]?.headers['idempotency-key']).toBe(calls[0]?.headers['idempotency-key'])
  })

  test('a corrected request is a new one', async () => {
    replies = [{ data: { ok: false, error: 'No.' }, error: null }]
    show(<QuoteForm />)
    fillQuote()
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    await press('Submit Quote Request')
    await screen.findByText('Submission error')
    type(/^Phone/, '508-555-0143')
    await press('Submit Quote Request')
    await waitFor(() => expect(calls).toHaveLength(2))
    expect(calls[1]?.headers['idempotency-key']).not.toBe(calls[0]?.headers['idempotency-key'])
  })

  test('what was typed survives a reload', () => {
    const first = show(<QuoteForm />)
    fillQuote()
    first.unmount()
    show(<QuoteForm />)
    expect(field(/Contact Name/)).toHaveValue('Dana Whitcomb')
  })

  test('offline it waits, says so, and sends once the connection is back', async () => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    replies = [{ data: null, error: { name: 'FunctionsFetchError' } }]
    show(<QuoteForm />)
    fillQuote()
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    await press('Submit Quote Request')
    expect(await screen.findByText(/You are offline/)).toBeVisible()
    expect(screen.queryByText('Submission error')).toBeNull()
    online.mockReturnValue(true)
    act(() => void window.dispatchEvent(new Event('online')))
    expect(await screen.findByText('Quote Request Submitted!')).toBeVisible()
    expect(calls[1]?.headers['idempotency-key']).toBe(calls[0]?.headers['idempotency-key'])
  })

  test('while it is sent the button says so and takes no second click', async () => {
    let answer: (reply: Reply) => void = () => undefined
    replies = [new Promise<Reply>((resolve) => (answer = resolve))]
    show(<QuoteForm />)
    fillQuote()
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    await press('Submit Quote Request')
    const busy = await screen.findByRole('button', { name: 'Submitting...' })
    expect(busy).toBeDisabled()
    answer(accepted)
    expect(await screen.findByText('Quote Request Submitted!')).toBeVisible()
    expect(calls).toHaveLength(1)
  })

  test('a filled trap is passed on for the server to judge, and nothing is said', async () => {
    show(<QuoteForm />)
    fillQuote()
    await userEvent.click(screen.getByLabelText('Sharps Management'))
    const input = trap()
    if (input) fireEvent.change(input, { target: { value: 'Acme' } })
    await press('Submit Quote Request')
    await waitFor(() => expect(calls).toHaveLength(1))
    expect(calls[0]?.body.company).toBe('Acme')
    await waitFor(() => expect(screen.getByRole('button', { name: 'Submit Quote Request' })).toBeEnabled())
    expect(toastStore.get()).toEqual([])
    expect(events('generate_lead')).toEqual([])
  })

  test('the trap is nothing that a browser, a manager or a person would fill', () => {
    show(<QuoteForm />)
    expect(trap()).toHaveAttribute('tabindex', '-1')
    expect(trap()).toHaveAttribute('autocomplete', 'off')
    for (const name of ['data-1p-ignore', 'data-lpignore', 'data-bwignore']) expect(trap()).toHaveAttribute(name)
    expect(trap()?.closest('[aria-hidden="true"]')).not.toBeNull()
    expect(screen.queryByRole('textbox', { name: 'Leave this field empty' })).toBeNull()
  })

  test('phone and ZIP code bring up the right keyboards', () => {
    show(<QuoteForm />)
    expect(field(/^Phone/)).toHaveAttribute('type', 'tel')
    expect(field(/^Phone/)).toHaveAttribute('inputmode', 'tel')
    expect(field(/ZIP/)).toHaveAttribute('inputmode', 'numeric')
  })
})

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
    replies = [{ data: { ok: false, error: 'No.' }, error: null }]
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
    replies = [{ data: null, error: { name: 'FunctionsFetchError' } }]
    show(<NewsletterForm />)
    fill()
    await press('Subscribe')
    expect(await screen.findByText('Subscription failed')).toBeVisible()
    expect(screen.getByText('Something went wrong. Please try again.')).toBeVisible()
    expect(field(/First Name/)).toHaveValue('Lena')
  })
})
