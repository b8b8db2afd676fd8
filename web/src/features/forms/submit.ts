/** Sends one form to its function and turns every way this can fail into one sentence. */
import type { FormSchema, Values } from './schema'

/** The answer of every form function. */
interface Answer {
  ok?: boolean
  error?: string
}

/** Nothing reached the server; the same attempt may be repeated. */
export class Unreachable extends Error {}

/** The client's code is loaded when a form is first used, so that reading a page never costs it. */
const loadClient = () => import('@/lib/client')
export const prepareSubmit = () => void loadClient().catch(() => undefined)

/**
 * Resolves once the function has said `ok`. The key makes a repeated attempt harmless: the server keeps
 * the first and answers the rest alike. Throws with the server's own words, with 'Submission failed', or
 * with an empty message when there is nothing better to say than the catalogue's default.
 */
export async function submitForm(schema: FormSchema, body: Values, idempotencyKey: string): Promise<void> {
  const { client } = await loadClient().catch((cause: unknown) => {
    throw new Unreachable('', { cause })
  })
  const { data, error } = await client().functions.invoke<Answer>(schema.function, {
    body,
    headers: { 'idempotency-key': idempotencyKey },
  })
  if (error) throw await explain(error)
  if (data?.ok !== true) throw new Error(data?.error || 'Submission failed')
}

async function explain(error: { name?: string; context?: unknown }): Promise<Error> {
  if (error.name === 'FunctionsFetchError') return new Unreachable('', { cause: error })
  const response = error.context
  if (response instanceof Response) {
    const answer = (await response.json().catch(() => null)) as Answer | null
    if (typeof answer?.error === 'string') return new Error(answer.error, { cause: error })
  }
  return new Error('', { cause: error })
}
