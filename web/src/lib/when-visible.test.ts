import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { whenVisible } from './when-visible'

let report: (isIntersecting: boolean) => void

class Observer {
  constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
    report = (isIntersecting) => callback([{ isIntersecting }])
  }
  observe() {}
  disconnect() {}
}

beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', Observer)
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => callback())
  document.body.innerHTML = '<div id="part"></div>'
})

afterEach(() => vi.unstubAllGlobals())

async function watch() {
  let seen = false
  void whenVisible('part').then(() => (seen = true))
  await settle()
  return () => seen
}
const settle = () => new Promise((resolve) => setTimeout(resolve))

test('waits until the element comes near', async () => {
  const seen = await watch()
  report(false)
  await settle()
  expect(seen()).toBe(false)
  report(true)
  await settle()
  expect(seen()).toBe(true)
})

test.each(['pointerdown', 'click', 'keydown', 'input', 'popstate'])('%s ends the wait, so that a navigation never hangs', async (event) => {
  const seen = await watch()
  expect(seen()).toBe(false)
  window.dispatchEvent(new Event(event))
  await settle()
  expect(seen()).toBe(true)
})

test('a navigation that nobody touched off ends the wait', async () => {
  vi.stubGlobal('navigation', new EventTarget())
  const seen = await watch()
  window.navigation.dispatchEvent(new Event('navigate'))
  await settle()
  expect(seen()).toBe(true)
})

test('does not wait where nothing can tell', async () => {
  vi.stubGlobal('IntersectionObserver', undefined)
  await expect(whenVisible('part')).resolves.toBeUndefined()
})
