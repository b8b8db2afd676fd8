/** The package's edge: its names, what it depends on, and the form in which others install it. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as official from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import * as ours from '../src/index.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Exports of the official client that belong to what this one leaves out. */
const LEFT_OUT: Record<string, string[]> = {
  realtime: [
    'REALTIME_CHANNEL_STATES',
    'REALTIME_LISTEN_TYPES',
    'REALTIME_POSTGRES_CHANGES_LISTEN_EVENT',
    'REALTIME_PRESENCE_LISTEN_EVENTS',
    'REALTIME_SUBSCRIBE_STATES',
    'RealtimeChannel',
    'RealtimeClient',
    'RealtimePostgresFilterBuilder',
    'RealtimePresence',
    'WebSocketFactory',
    'postgresChangesFilter',
  ],
  storage: ['StorageApiError'],
  'locks between tabs': ['NavigatorLockAcquireTimeoutError', 'lockInternals', 'navigatorLock', 'processLock'],
  'an auth client on its own': ['AuthAdminApi', 'GoTrueAdminApi', 'GoTrueClient', 'SIGN_OUT_SCOPES'],
}

test('every name is one of the official client', () => {
  expect(Object.keys(ours).filter((name) => !(name in official))).toEqual([])
})

test('no name of the official client is missing but those of parts left out', () => {
  const missing = Object.keys(official).filter((name) => !(name in ours))
  expect(missing).toEqual(Object.values(LEFT_OUT).flat().toSorted())
})

test('nothing is installed along with it', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect([manifest.dependencies, manifest.peerDependencies]).toEqual([undefined, undefined])
})

test('the built package runs without a bundler', async () => {
  const dist = mkdtempSync(join(tmpdir(), 'client-'))
  try {
    execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), dist])
    const built = await import(/* @vite-ignore */ pathToFileURL(join(dist, 'index.js')).href)
    expect(Object.keys(built).toSorted()).toEqual(Object.keys(ours).toSorted())
    const seen: string[] = []
    const client: ours.SupabaseClient = built.createClient('https://gateway.test', 'key', {
      auth: { autoRefreshToken: false },
      global: { fetch: async (input: string) => (seen.push(input), Response.json([{ id: 1 }])) },
    })
    expect((await client.from('books').select('id')).data).toEqual([{ id: 1 }])
    expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect(seen).toEqual(['https://gateway.test/rest/v1/books?select=id'])
  } finally {
    rmSync(dist, { recursive: true })
  }
}, 60_000)
