import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { takeOver } from './server-data'
import { type Turn, takeTurn } from './turns'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

/** Places in the line of a page that is being taken over. */
function line(length: number): Turn[] {
  const turns: (Turn | undefined)[] = []
  takeOver(() => turns.push(...Array.from({ length }, takeTurn)))
  return turns.filter((turn) => turn !== undefined)
}

const come = (turns: Turn[]) => turns.map((turn) => turn.come)

test('what is drawn without HTML of it waits for nothing', () => {
  expect(takeTurn()).toBeUndefined()
})

test('turns come one after another, each in a task of its own', async () => {
  const turns = line(3)
  expect(come(turns)).toEqual([false, false, false])
  vi.advanceTimersToNextTimer()
  expect(come(turns)).toEqual([true, false, false])
  vi.runAllTimers()
  expect(come(turns)).toEqual([true, true, true])
  await Promise.all(turns.map((turn) => turn.wait))
})

test.each(['pointerdown', 'keydown', 'input', 'popstate', 'beforeprint'])('at %s all come at once', async (act) => {
  const turns = line(3)
  window.dispatchEvent(new Event(act))
  expect(come(turns)).toEqual([true, true, true])
  await Promise.all(turns.map((turn) => turn.wait))
})
