import { Button, buttonClass } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { toast } from '@/ui/toast-store'

/** Where the ways to pass an article on will be: they need a script. */
export function ArticleActionsPlaceholder() {
  return <div className="no-print mt-6 min-h-9" />
}

/** Ways to pass an article on. The device's own share sheet where there is one. */
export function ArticleActions({ title }: { title: string }) {
  const url = () => window.location.origin + window.location.pathname
  const mail = `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(url())}`

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url())
      toast({ title: 'Link copied', description: 'Paste it wherever you want to share this article.' })
    } catch {
      toast({ title: 'The link could not be copied', description: 'Copy it from the address bar instead.', variant: 'destructive' })
    }
  }
  const share = async () => {
    try {
      await navigator.share({ title, url: url() })
    } catch {
      // Closing the share sheet without choosing is no failure.
    }
  }

  return (
    <div role="group" aria-label="Share this article" className="no-print mt-6 flex flex-wrap gap-2">
      {typeof navigator.share === 'function' ? (
        <Button variant="outline" size="sm" onClick={() => void share()}>
          <Icon name="share" /> Share
        </Button>
      ) : null}
      <Button variant="outline" size="sm" onClick={() => void copy()}>
        <Icon name="link" /> Copy link
      </Button>
      <a href={mail} className={buttonClass({ variant: 'outline', size: 'sm' })}>
        <Icon name="mail" /> E-mail
      </a>
      <Button variant="outline" size="sm" onClick={() => window.print()}>
        <Icon name="print" /> Print
      </Button>
    </div>
  )
}
