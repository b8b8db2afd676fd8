/** The one import that decides which client talks to the gateway; `@supabase/supabase-js` fits here unchanged. */
import { createClient } from 'supabase-compat'
import type { Database } from './database.types'
import { env } from './env'

function connect() {
  const { supabaseUrl, publishableKey } = env()
  return createClient<Database>(supabaseUrl, publishableKey)
}

let connected: ReturnType<typeof connect> | undefined

/** The shared client, made on first use: prerendering imports this module without ever connecting. */
export function client() {
  connected ??= connect()
  return connected
}

export type Client = ReturnType<typeof client>
