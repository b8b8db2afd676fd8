import { type ReactNode, Suspense, useState } from 'react'
import { type Turn, Waited, takeTurn } from '@/lib/turns'

/** Content of one element that stands in the served HTML as it is until its turn comes. */
export function InTurn({ children }: { children: ReactNode }) {
  const [turn] = useState(takeTurn)
  return (
    <Suspense fallback={null}>
      <Awaiting turn={turn}>
        <Waited value={turn !== undefined}>{children}</Waited>
      </Awaiting>
    </Suspense>
  )
}

function Awaiting({ turn, children }: { turn: Turn | undefined; children: ReactNode }) {
  // What a suspense boundary waits for is thrown to it.
  // oxlint-disable-next-line typescript/only-throw-error
  if (turn && !turn.come) throw turn.wait
  return children
}
