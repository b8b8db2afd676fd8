/**
 * Parts of a page's HTML that the script takes over one after another, each in a task of its own: together they are a task
 * that a phone feels. Whoever touches the page meanwhile gets the rest at once, before the act reaches it.
 */
import { createContext } from 'react'
import { isTakingOver } from './server-data'

export interface Turn {
  come: boolean
  /** Resolves when it has come. */
  wait: Promise<void>
}

/** A visitor's acts; each but the last comes before what it leads to. */
const ACTS = ['pointerdown', 'keydown', 'input', 'popstate', 'beforeprint'] as const

/** Whether what is drawn stood in the served HTML until its turn came, and must be drawn the same at first. */
export const Waited = createContext(false)

const waiting: (() => void)[] = []
let running = false

/** A place in the line; nothing where a part is drawn anew and there is no HTML of it to look at meanwhile. */
export function takeTurn(): Turn | undefined {
  if (!isTakingOver()) return undefined
  const turn: Turn = { come: false, wait: Promise.resolve() }
  turn.wait = new Promise((resolve) => {
    waiting.push(() => {
      turn.come = true
      resolve()
    })
  })
  if (!running) run()
  return turn
}

function run(): void {
  running = true
  for (const act of ACTS) window.addEventListener(act, callAll, { once: true, capture: true })
  // A timer or a script may navigate without any act.
  window.navigation?.addEventListener('navigate', callAll, { once: true })
  later(callNext)
}

function callNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) later(callNext)
  else running = false
}

function callAll(): void {
  for (const call of waiting.splice(0)) call()
}

/** Once there is nothing more urgent, and soon in any case. */
function later(call: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(call, { timeout: 300 })
  else setTimeout(call, 20)
}
