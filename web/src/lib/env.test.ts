import { describe, expect, test } from 'vitest'
import { parseEnv } from './env'

const complete = { SUPABASE_URL: 'https://data.example/', SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_x', GTM_ID: 'GTM-ABC123' }

describe('parseEnv', () => {
  test('reads what the gateway serves', () => {
    expect(parseEnv(complete, 'https://site.example')).toEqual({ supabaseUrl: 'https://data.example', publishableKey: 'sb_publishable_x', gtmId: 'GTM-ABC123' })
  })

  test('an empty address means the origin of the page', () => {
    expect(parseEnv({ ...complete, SUPABASE_URL: '' }, 'https://site.example').supabaseUrl).toBe('https://site.example')
  })

  test('lists all that is wrong in one message', () => {
    expect(() => parseEnv({ SUPABASE_URL: 'nowhere', GTM_ID: 'UA-1' }, 'https://site.example')).toThrow(
      'The site is not configured: SUPABASE_URL is not an address: "nowhere"; SUPABASE_PUBLISHABLE_KEY is missing; GTM_ID is not a container id: "UA-1".',
    )
  })
})
