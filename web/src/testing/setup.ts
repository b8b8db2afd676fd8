import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// A busy machine is slow, not wrong: only a state that never comes may fail a test.
configure({ asyncUtilTimeout: 20_000 })

afterEach(() => {
  cleanup()
  sessionStorage.clear()
  localStorage.clear()
  window.dataLayer = []
})

window.scrollTo = () => undefined
Element.prototype.scrollIntoView = () => undefined
// Nobody here has wishes of the kind that a media query tells.
window.matchMedia = (media) => Object.assign(new EventTarget(), { media, matches: false, onchange: null, addListener: () => undefined, removeListener: () => undefined })

// jsdom knows the dialog element but not its methods.
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false
  this.dispatchEvent(new Event('close'))
}

// No page here has a socket but where a test gives it one.
Reflect.deleteProperty(window, 'WebSocket')
