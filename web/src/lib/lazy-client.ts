import type { Client } from './client'

/** Its code, ahead of a question. */
export const preloadClient = () => import('./client')

/** The client where it may not be needed at all: what a page shows at first came with it, so its code waits for a first question. */
export async function lazyClient(): Promise<Client> {
  const { client } = await preloadClient()
  return client()
}
