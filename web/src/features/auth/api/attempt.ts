import type { AuthError } from 'supabase-compat'

/** What a call of the account's own service ends with: null, or the server's message, which may be empty. */
export async function attempt(call: () => Promise<{ error: AuthError | null }>): Promise<string | null> {
  try {
    const { error } = await call()
    if (error === null) return null
    // The client's words for a server that is out of order, after the answer that it could not read.
    return error.message === '{}' ? '' : error.message
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}
