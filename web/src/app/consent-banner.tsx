import { useEffect, useState } from 'react'
import { answerConsent, loadTagManager, mustAskConsent } from '@/lib/analytics'
import { Button } from '@/ui/button'

/** Asks once, and only on a site that has a tag-manager container. Fixed, so nothing moves when it comes. */
export function ConsentBanner() {
  const [asking, setAsking] = useState(false)

  useEffect(() => {
    setAsking(mustAskConsent())
    loadTagManager()
  }, [])

  if (!asking) return null
  const answer = (choice: 'granted' | 'denied') => {
    answerConsent(choice)
    setAsking(false)
  }
  return (
    <section aria-label="Cookie consent" className="no-print fixed inset-x-4 bottom-4 z-40 mx-auto max-w-2xl rounded-lg border border-granite-200 bg-white p-5 shadow-deep sm:flex sm:items-center sm:gap-6">
      <p className="text-sm text-granite-600">May we count visits with cookies? It tells us which pages help and which do not. The site works the same if you decline.</p>
      <div className="mt-4 flex shrink-0 gap-3 sm:mt-0">
        <Button size="sm" variant="outline" onClick={() => answer('denied')}>
          Decline
        </Button>
        <Button size="sm" onClick={() => answer('granted')}>
          Accept
        </Button>
      </div>
    </section>
  )
}
