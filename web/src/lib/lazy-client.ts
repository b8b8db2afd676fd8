import type { Client } from './client'

/** The client where it may not be needed at all: what a page shows at first came with it, so its code waits for a first question. */
export async function lazyClient(): Promise<Client> {
  const { client } = await import('./client')
  return client()
}
