/**
 * A scenario on a live gateway, in whatever runs JavaScript. SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY and
 * SUPABASE_SECRET_KEY say where it is, and PROVIDER_URL where the provider `keycloak` hands out ID tokens at /native and,
 * at /auth, answers with the address that it would send a browser back to.
 */

import { randomUUID } from 'node:crypto'
import { type CreateClient, plain } from './harness.js'
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

/** What was seen, without what differs between two runs of the same calls: names made up, ids, times, tokens. */
function steady(seen: unknown, unique: string): any {
  const text = JSON.stringify(plain(seen))
    .replaceAll(unique, '<unique>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/token=eyJ[\w.-]+/g, 'token=<token>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '<time>')
  return JSON.parse(text)
}

/** The scenarios for a live gateway. */
export const lively = scenarios.filter(({ live }) => live)

/** What a scenario answered, the requests that were sent, and the statuses of their answers. */
export type Seen = { result: unknown; sent: string[]; statuses: number[] }

export async function run(create: CreateClient, scenario: Scenario): Promise<Seen> {
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
