/** Calls whose code could not be fetched, as when a page outlives the release it came from. */

import { expect, test, vi } from 'vitest'
import { createClient } from '../src/index.js'

vi.mock('../src/auth/on-demand.js', () => {
  throw new Error('Failed to fetch dynamically imported module')
})
vi.mock('../src/realtime/on-demand.js', () => ({
  realtime: () => {
    throw new Error('Failed to fetch dynamically imported module')
  },
}))
vi.mock('../src/storage/on-demand.js', () => {
  throw new Error('Failed to fetch dynamically imported module')
})

const client = (throwOnError = false) => createClient('https://gateway.test', 'key', { auth: { autoRefreshToken: false, throwOnError } })
const make = (throwOnError = false) => client(throwOnError).auth

test('a call whose code cannot be fetched is one that got no answer', async () => {
  const { data, error } = await make().getUser()
  expect(data).toEqual({ user: null, session: null })
  expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
})

test('so is a sign-in, and a sign-out', async () => {
  const refused = { error: { name: 'AuthRetryableFetchError', status: 0 } }
  expect(await make().signInWithPassword({ email: 'a@example.test', password: 'b' })).toMatchObject(refused)
  expect(await make().signOut()).toMatchObject(refused)
})

test('it is thrown where errors are', async () => {
  await expect(make(true).mfa.listFactors()).rejects.toMatchObject({ name: 'AuthRetryableFetchError' })
})

test('the session is there all the same', async () => {
  expect(await make().getSession()).toEqual({ data: { session: null }, error: null })
})

test('storage answers with an error, and makes addresses all the same', async () => {
  const { storage } = client()
  const unreachable = { data: null, error: { name: 'StorageUnknownError' } }
  expect(await storage.listBuckets()).toMatchObject(unreachable)
  expect(await storage.from('pictures').upload('a.png', 'x')).toMatchObject(unreachable)
  expect(storage.from('pictures').getPublicUrl('a.png').data.publicUrl).toBe('https://gateway.test/storage/v1/object/public/pictures/a.png')
})

test('a channel tells whoever subscribes, and nothing is an unhandled rejection, on which the run fails', async () => {
  const told = vi.fn<(status: string, error?: Error) => void>()
  const channel = client().channel('room')
  // Not by toBe, which would ask the channel for more than it has.
  expect(channel.on('broadcast', { event: '*' }, () => {}).subscribe(told) === channel).toBe(true)
  expect(await channel.send({ type: 'broadcast', event: 'a' })).toBe('error')
  expect(await channel.track({})).toBe('error')
  expect(await channel.unsubscribe()).toBe('error')
  expect(told.mock.calls).toEqual([['CHANNEL_ERROR', expect.any(Error)]])
  client().channel('nobody listens').subscribe()
})
