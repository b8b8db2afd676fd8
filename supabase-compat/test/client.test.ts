/** What a client is made of: its address, its key, and what happens when they cannot work. */

import { describe, expect, test } from 'vitest'
import { clients, defaultServer, recorder, visibleStorage } from './harness.js'

describe.each(Object.keys(clients) as (keyof typeof clients)[])('a client made with %s', (which) => {
  const make = clients[which]

  test.each([
    ['', 'supabaseUrl is required.'],
    ['  ', 'supabaseUrl is required.'],
    ['gateway.test', 'Invalid supabaseUrl: Must be a valid HTTP or HTTPS URL.'],
    ['ftp://gateway.test', 'Invalid supabaseUrl: Must be a valid HTTP or HTTPS URL.'],
  ])('refuses the address "%s"', (url, message) => {
    expect(() => make(url, 'key')).toThrow(message)
  })

  test('refuses to be without a key', () => {
    expect(() => make('https://gateway.test', '')).toThrow('supabaseKey is required.')
  })

  test.each([
    ['https://gateway.test', 'https://gateway.test/rest/v1/books?select=*'],
    ['https://gateway.test/', 'https://gateway.test/rest/v1/books?select=*'],
    [' https://gateway.test/under/here ', 'https://gateway.test/under/here/rest/v1/books?select=*'],
  ])('finds its tables under "%s"', async (url, expected) => {
    const { fetch, requests } = recorder(defaultServer)
    await make(url, 'key', { auth: { autoRefreshToken: false }, global: { fetch } }).from('books').select()
    expect(requests[0]!.url).toBe(expected)
  })

  test.each([
    ['http://127.0.0.1:54321', 'sb-127-auth-token'],
    ['http://localhost:54321', 'sb-localhost-auth-token'],
    ['https://abcdefgh.supabase.co', 'sb-abcdefgh-auth-token'],
  ])('keeps the session of %s under %s', async (url, key) => {
    const { fetch } = recorder(defaultServer)
    const storage = visibleStorage()
    const client = make(url, 'key', { auth: { autoRefreshToken: false, storage }, global: { fetch } })
    await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    expect(Object.keys(storage.items)).toEqual([key])
  })

  test('has no auth of its own when tokens come from elsewhere', () => {
    const { auth } = make('https://gateway.test', 'key', { accessToken: async () => 'token' })
    expect(() => auth.getSession()).toThrow('accessToken')
  })
})
