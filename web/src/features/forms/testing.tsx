/** A form whose function answers as a test says. */
import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, vi } from 'vitest'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { dismiss, toastStore } from '@/ui/toast-store'

interface Call {
  name: string
  body: Record<string, unknown>
  headers: Record<string, string>
}
export type Reply = { data: { ok?: boolean; error?: string } | null; error: { name: string; context?: unknown } | null }

export const accepted: Reply = { data: { ok: true }, error: null }
export const calls: Call[] = []
export const replies: (Reply | Promise<Reply>)[] = []

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
  replies.length = 0
  for (const { id } of toastStore.get()) dismiss(id)
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
})

export const show = (form: React.ReactNode) =>
  renderAt(
    '/',
    <>
      {form}
      <Toaster />
    </>,
  )
export const field = (name: RegExp) => screen.getByLabelText(name)
export const type = (name: RegExp, value: string) => fireEvent.change(field(name), { target: { value } })
export const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
export const events = (name: string) => (window.dataLayer ?? []).filter((event) => 'event' in event && event.event === name)
export const trap = () => document.querySelector<HTMLInputElement>('[name="leave-empty"]')

export function fillQuote() {
  type(/Facility Name/, 'Elm Park Family Medicine')
  type(/Facility Type/, 'medical-practice')
  type(/Contact Name/, 'Dana Whitcomb')
  type(/^Email/, 'dana@elmpark.example')
  type(/^Phone/, '508-555-0142')
  type(/Waste Volume/, '1-2')
  type(/Pickup Frequency/, 'monthly')
}
