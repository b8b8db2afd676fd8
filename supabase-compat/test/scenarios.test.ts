/** Both clients, the same calls, against a server that is a function: the same requests, byte for byte, and results. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clients, type CreateClient, defaultServer, plain, recorder } from './harness.js'
import { namesOf, observed } from './observe.mjs'
import { placeFor, type Scenario, scenarios } from './scenarios.js'

declare module 'vitest' {
  interface TaskMeta {
    /** Methods of the official client that the test called: tests/parity.py of the gateway reads this in the report. */
    calls?: string[]
    /** All that there are. */
    methods?: string[]
  }
}

/** The only differences on the wire, each with its reason. */
const DIFFERENT_HEADERS: Record<string, string> = {
  'x-client-info': 'says which client sent the request, which is what it is for',
}

const realImmediate = setImmediate

const KEYS = { publishable: 'sb_publishable_test', secret: 'sb_secret_test' }

describe('the same requests and results as the official client', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => (array as Uint8Array).fill(171) as typeof array)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  async function run(create: CreateClient, { run, server = defaultServer }: Scenario) {
    vi.setSystemTime(new Date('2026-03-04T05:06:07Z'))
    const { fetch, requests } = recorder(server)
    const state = { ended: false }
    const running = run(placeFor(create, 'http://127.0.0.1:54321', KEYS, fetch, 'word')).finally(() => {
      state.ended = true
    })
    running.catch(() => {})
    // The clock stands still but for waits, which it jumps over: so even the delays can be compared.
    while (!state.ended) {
      await new Promise((resolve) => realImmediate(resolve))
      if (!state.ended && vi.getTimerCount()) await vi.advanceTimersToNextTimerAsync()
    }
    const result = await running
    for (const request of requests) {
      for (const name in DIFFERENT_HEADERS) delete request.headers[name]
      if (request.headers['idempotency-key']) request.headers['idempotency-key'] = '<uuid>'
    }
    return { requests, result: plain(result) }
  }

  test.for(scenarios.map((each) => [each.name, each] as const))('%s', async ([, scenario], { task }) => {
    const called = new Set<string>()
    const observing: CreateClient = (...args) => observed(clients.official(...args), (name) => void called.add(name))
    const ours = await run(clients.ours, scenario)
    const official = await run(observing, scenario)
    expect(ours.requests).toEqual(official.requests)
    expect(ours.result).toEqual(official.result)
    task.meta.calls = [...called]
  })

  test('every part of the official client is known', ({ task }) => {
    const names = namesOf(clients.official('http://127.0.0.1:54321', 'key', { auth: { autoRefreshToken: false } }))
    expect(names).toContain('auth.mfa.enroll')
    task.meta.methods = names
  })
})
