/** Calls whose code could not be fetched, as when a page outlives the release it came from. */

import { expect, test, vi } from 'vitest'
import { createClient } from '../src/index.js'

vi.mock('../src/auth/on-demand.js', () => {
  throw new Error('Failed to fetch dynamically imported module')
})

const make = (throwOnError = false) =>
  createClient('https://gateway.test', 'key', { auth: { autoRefreshToken: false, throwOnError } }).auth

test('a call whose code cannot be fetched is one that got no answer', async () => {
  const { data, error } = await make().getUser()
  expect(data).toEqual({ user: null, session: null })
  expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
})

test('it is thrown where errors are', async () => {
  await expect(make(true).mfa.listFactors()).rejects.toMatchObject({ name: 'AuthRetryableFetchError' })
})

test('the session is there all the same', async () => {
  expect(await make().getSession()).toEqual({ data: { session: null }, error: null })
})
