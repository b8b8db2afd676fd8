import { useEffect, useState } from 'react'
import { isTakingOver } from './server-data'

/** False while the server's HTML is being taken over, which knows nothing of what needs a script; true a moment later. */
export function useAlive(): boolean {
  const [alive, setAlive] = useState(!isTakingOver())
  useEffect(() => setAlive(true), [])
  return alive
}
