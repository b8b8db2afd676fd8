import { useLocation } from 'react-router-dom'
import { company } from '@/content/site'
import { trackButton } from '@/lib/analytics'
import { paths } from '@/lib/paths'
import { InTurn } from '@/parts/in-turn'
import { buttonClass } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { Link } from '@/ui/link'

/** Where a visitor is at work already: a bar would only be in the way. */
const WORKPLACES = [paths.auth, '/admin', paths.quote, paths.quickStart, paths.contact]

/** On a phone, always under the thumb: call, or ask for a price. */
export function PhoneBar() {
  const { pathname } = useLocation()
  if (WORKPLACES.some((path) => pathname === path || pathname.startsWith(`${path}/`))) return null
  return (
    <InTurn>
      <aside aria-label="Call or ask for a price" className="no-print phone-bar fixed inset-x-0 bottom-0 z-30 grid grid-cols-2 gap-2 border-t border-granite-200 bg-white/95 px-3 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))] md:hidden">
        <a href={company.phoneHref} onClick={() => trackButton('Call', 'phone_bar', 'secondary')} className={buttonClass({ variant: 'outline' })}>
          <Icon name="phone" />
          Call us
        </a>
        <Link to={paths.quote} onClick={() => trackButton('Get a price', 'phone_bar')} className={buttonClass({ variant: 'gold' })}>
          Get a price
        </Link>
      </aside>
    </InTurn>
  )
}
