import { expect, test, vi } from 'vitest'
import { client } from '@/lib/client'
import { attempt } from './attempt'

const signIn = () => client().auth.signInWithPassword({ email: 'dana@example.com', password: 'x' })

test.each([
  ['an empty answer', 503, '', ''],
  ["a proxy's page", 502, '<html>Bad gateway</html>', ''],
  ["a proxy's refusal", 413, '<html>Too large</html>', ''],
  ['a list', 400, '[]', ''],
  ['the service itself', 400, '{"error_code":"invalid_credentials","msg":"Invalid login credentials"}', 'Invalid login credentials'],
])('of %s nothing is shown that was not meant for people', async (_title, status, body, words) => {
  window.__ENV__ = { SUPABASE_URL: '', SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_test' }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body, { status }))
  expect(await attempt(signIn)).toBe(words)
})
