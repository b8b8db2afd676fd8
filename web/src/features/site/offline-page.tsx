import { company } from '@/content/site'
import { Seo } from '@/lib/seo'
import { Button } from '@/ui/button'

/** Stored by the service worker and shown when a page cannot be fetched. */
export default function OfflinePage() {
  return (
    <div className="container flex min-h-[60vh] flex-col items-start justify-center py-16">
      <Seo title="You Are Offline" description="This page needs a connection." noindex />
      <h1 className="text-h1">You are offline</h1>
      <p className="mt-5 max-w-[52ch] text-lead text-granite-600">
        This page needs a connection. For a spill or an exposure do not wait for it: call our emergency line at{' '}
        <a href={company.emergencyHref} className="font-semibold whitespace-nowrap text-harbor-700 underline">
          {company.emergencyPhone}
        </a>
        .
      </p>
      <div className="mt-8">
        <Button onClick={() => window.location.reload()}>Try again</Button>
      </div>
    </div>
  )
}
