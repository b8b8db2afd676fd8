/** Both clients, the same calls, on a live gateway (see live.ts): the same requests and the same results. */

import { describe, expect, test } from 'vitest'
import { clients, type CreateClient } from './harness.js'
import { lively, run } from './live.js'
import { observed } from './observe.mjs'

describe('the same results on a live gateway', () => {
  test.for(lively.map((each) => [each.name, each] as const))('%s', { timeout: 60_000 }, async ([, scenario], { task }) => {
    const called = new Set<string>()
    const observing: CreateClient = (...args) => observed(clients.official(...args), (name) => void called.add(name))
    const ours = await run(clients.ours, scenario)
    const official = await run(observing, scenario)
    expect(ours.statuses).toEqual(scenario.live)
    expect(official.statuses).toEqual(scenario.live)
    expect(ours.sent).toEqual(official.sent)
    expect(ours.result).toEqual(official.result)
    task.meta.calls = [...called]
  })
})
