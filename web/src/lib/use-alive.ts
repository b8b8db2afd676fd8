import { use, useEffect, useState } from 'react'
import { isTakingOver } from './server-data'
import { Waited } from './turns'

/** False while the server's HTML is being taken over, which knows nothing of what needs a script; true a moment later. */
export function useAlive(): boolean {
  const waited = use(Waited)
  const [alive, setAlive] = useState(!isTakingOver() && !waited)
  useEffect(() => setAlive(true), [])
  return alive
}
