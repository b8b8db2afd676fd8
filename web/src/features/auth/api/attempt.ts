import type { AuthError } from 'supabase-compat'

/** What a call of the account's own service ends with: null, or the server's message, which may be empty. */
export async function attempt(call: () => Promise<{ error: AuthError | null }>): Promise<string | null> {
  try {
    const { error } = await call()
    return error === null ? null : wordsOf(error)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

/** The message, unless it is only what the client made of an answer that was not the service's: an empty one, a proxy's page. */
const wordsOf = ({ name, message }: AuthError) => (name === 'AuthUnknownError' || /^[{[]/.test(message) ? '' : message)
