import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { renderAt } from '@/testing/render-app'
import { ServicesMenu } from './services-menu'

const submenu = () => screen.queryByRole('link', { name: 'Compliance Training' })
const toggle = () => screen.getByRole('button', { name: 'Services submenu' })
const area = () => toggle().parentElement ?? document.body
const mouse = { pointerType: 'mouse' }

// jsdom has no PointerEvent with a pointer type, which is what tells a mouse from a finger.
class Pointer extends MouseEvent {
  pointerType: string
  constructor(type: string, init: PointerEventInit = {}) {
    super(type, init)
    this.pointerType = init.pointerType ?? ''
  }
}

beforeEach(() => {
  vi.stubGlobal('PointerEvent', Pointer)
  vi.useFakeTimers()
  renderAt(
    '/',
    <>
      <ServicesMenu linkClass="" />
      <button type="button">Elsewhere</button>
    </>,
  )
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const leaveFor = (milliseconds: number) => {
  fireEvent.pointerLeave(area(), mouse)
  act(() => vi.advanceTimersByTime(milliseconds))
}

describe('with a mouse', () => {
  test('hovering opens it, and it stays for 1.5 seconds after the mouse has left', () => {
    expect(submenu()).toBeNull()
    fireEvent.pointerEnter(area(), mouse)
    expect(submenu()).toBeVisible()
    leaveFor(1499)
    expect(submenu()).toBeVisible()
    act(() => vi.advanceTimersByTime(1))
    expect(submenu()).toBeNull()
  })

  test('coming back in time keeps it open', () => {
    fireEvent.pointerEnter(area(), mouse)
    leaveFor(1000)
    fireEvent.pointerEnter(area(), mouse)
    act(() => vi.advanceTimersByTime(5000))
    expect(submenu()).toBeVisible()
  })
})

describe('with keyboard or finger', () => {
  test('the button opens and closes it and says which', () => {
    fireEvent.click(toggle())
    expect(toggle()).toHaveAttribute('aria-expanded', 'true')
    expect(submenu()).toBeVisible()
    fireEvent.click(toggle())
    expect(toggle()).toHaveAttribute('aria-expanded', 'false')
    expect(submenu()).toBeNull()
  })

  test('a finger does not open it by touching the area', () => {
    fireEvent.pointerEnter(area(), { pointerType: 'touch' })
    expect(submenu()).toBeNull()
  })

  test('Escape closes it and gives the focus back to the button', () => {
    fireEvent.click(toggle())
    submenu()?.focus()
    fireEvent.keyDown(area(), { key: 'Escape' })
    expect(submenu()).toBeNull()
    expect(toggle()).toHaveFocus()
  })

  test('moving the focus elsewhere closes it at once', () => {
    fireEvent.click(toggle())
    fireEvent.blur(toggle(), { relatedTarget: screen.getByText('Elsewhere') })
    expect(submenu()).toBeNull()
  })

  test('following a link in it closes it', () => {
    fireEvent.click(toggle())
    const link = submenu()
    if (link) fireEvent.click(link)
    expect(submenu()).toBeNull()
  })
})
