import { Contours } from '@/ui/contours'
import { ButtonLink } from '@/ui/button'
import { trackButton } from '@/lib/analytics'
import { Icon } from '@/ui/icon'
import { InTurn } from './in-turn'

interface Action {
  label: string
  to: string
  state?: unknown
}

interface CallToActionProps {
  title: string
  text: string
  primary: Action
  secondary: Action
  /** Where the click happened, for analytics. */
  place: string
}

export function CallToAction({ title, text, primary, secondary, place }: CallToActionProps) {
  return (
    <InTurn>
      <section className="no-print pb-9 sm:pb-16 lg:pb-24">
        <div className="container">
          <div className="on-dark relative overflow-hidden rounded-lg bg-harbor-900 bg-[radial-gradient(36rem_20rem_at_100%_0%,#157485,transparent)] px-6 py-8 text-harbor-100 sm:px-12 sm:py-12 lg:py-16">
            <Contours className="opacity-70" />
            <div className="relative grid items-center gap-6 sm:gap-8 lg:grid-cols-[1fr_auto]">
              <div>
                <h2 className="max-w-[24ch] text-h2 text-white">{title}</h2>
                <p className="mt-3 max-w-[56ch] max-sm:text-sm sm:mt-4">{text}</p>
              </div>
              <div className="flex flex-wrap gap-3">
                <ButtonLink size="lg" variant="gold" to={primary.to} state={primary.state} onClick={() => trackButton(primary.label, place)}>
                  {primary.label}
                  <Icon name="forward" />
                </ButtonLink>
                <ButtonLink size="lg" variant="onDark" to={secondary.to} onClick={() => trackButton(secondary.label, place, 'secondary')}>
                  {secondary.label}
                </ButtonLink>
              </div>
            </div>
          </div>
        </div>
      </section>
    </InTurn>
  )
}
