/**
 * Both clients, the same calls, on a live gateway: the same requests and the same results. Runs when SUPABASE_URL is
 * set; SUPABASE_PUBLISHABLE_KEY and SUPABASE_SECRET_KEY must be then, too, and PROVIDER_URL, where the provider `keycloak`
 * hands out ID tokens at /native and, at /auth, answers with the address that it would send a browser back to.
 */

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { clients, type CreateClient, plain } from './harness.js'
import { observed } from './observe.mjs'
import { placeFor, type Provider, type Scenario, scenarios } from './scenarios.js'

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: the live scenarios need the gateway's address and both of its keys`)
  return value
}

const url = setting('SUPABASE_URL')
const keys = { publishable: setting('SUPABASE_PUBLISHABLE_KEY'), secret: setting('SUPABASE_SECRET_KEY') }

const providerUrl = setting('PROVIDER_URL')

/** The way of a browser: to the provider, back to the gateway, and home. */
const provider: Provider = {
  visit: async (address) => {
    const page = (await (await fetch(address)).json()) as { continue: string }
    const home = await fetch(page.continue, { redirect: 'manual' })
    return new URL(home.headers.get('location') ?? '')
  },
  idToken: async () => ((await (await fetch(`${providerUrl}/native`)).json()) as { id_token: string }).id_token,
}

/** What was seen, without what differs between two runs of the same calls: names made up, ids, times. */
function steady(seen: unknown, unique: string): any {
  const text = JSON.stringify(plain(seen))
    .replaceAll(unique, '<unique>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '<time>')
  return JSON.parse(text)
}

const lively = scenarios.filter(({ live }) => live)

type Seen = { result: unknown; sent: string[]; statuses: number[] }

async function run(create: CreateClient, scenario: Scenario): Promise<Seen> {
  const unique = `t${randomUUID().replaceAll('-', '')}`
  const sent: string[] = []
  const statuses: number[] = []
  const recording: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    sent.push(steady(`${init?.method} ${String(input)}`, unique))
    statuses.push(response.status)
    return response
  }
  const result = await scenario.run(placeFor(create, url, keys, recording, unique, provider))
  return { result: steady(result, unique), sent, statuses }
}

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
