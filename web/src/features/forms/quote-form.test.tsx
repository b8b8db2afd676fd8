import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { toastStore } from '@/ui/toast-store'
import { QuoteForm } from './quote-form'
import { type Reply, accepted, calls, replies, show, field, type, press, events, trap, fillQuote } from './testing'

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
    expect(calls[0]?.body).toHaveProperty('employeeCount', '')
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
    replies.push(reply)
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
    replies.push({ data: { ok: false, error: 'No.' }, error: null })
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
    replies.push({ data: null, error: { name: 'FunctionsFetchError' } })
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
    replies.push(new Promise<Reply>((resolve) => (answer = resolve)))
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
