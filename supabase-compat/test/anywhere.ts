/**
 * The live scenarios without a test runner, for Deno, Bun and others: bundled into one file and run by
 * tests/contract/test_client.py of the gateway. Prints the names of those that passed, or fails.
 */

import { deepStrictEqual } from 'node:assert/strict'
import { clients } from './harness.js'
import { lively, run } from './live.js'

const passed: string[] = []
for (const scenario of lively) {
  const ours = await run(clients.ours, scenario)
  const official = await run(clients.official, scenario)
  try {
    deepStrictEqual(ours.statuses, scenario.live)
    deepStrictEqual(ours, official)
  } catch (cause) {
    throw new Error(scenario.name, { cause })
  }
  passed.push(scenario.name)
}
console.log(JSON.stringify(passed))
process.exit(0) // the official client's timers would keep some of them up
