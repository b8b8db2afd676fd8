import { useState } from 'react'
import { Icon, type IconName } from '@/ui/icon'
import { SampleMark } from './sample-mark'

const emblems: IconName[] = ['stethoscope', 'hospital', 'heart', 'paw', 'microscope', 'building', 'flask']

/** A slow band of names; on a phone a plain list of them. It stops under the pointer, with the focus inside, by its button, and for those who prefer less motion. */
export function ClientCarousel({ title, names }: { title: string; names: readonly string[] }) {
  const [paused, setPaused] = useState(false)
  return (
    <div className="group/carousel">
      <div className="flex items-center justify-between gap-4">
        <div className="flex flex-wrap items-baseline gap-x-4">
          <h2 className="text-h4">{title}</h2>
          <SampleMark of="clients" />
        </div>
        <button
          type="button"
          onClick={() => setPaused(!paused)}
          aria-label={paused ? 'Play the list of clients' : 'Pause the list of clients'}
          className="grid size-10 place-items-center rounded-full border border-granite-200 text-granite-600 hover:border-harbor-700 hover:text-harbor-700 motion-reduce:hidden max-sm:hidden"
        >
          {paused ? <Icon name="play" className="size-4" /> : <Icon name="pause" className="size-4" />}
        </button>
      </div>
      <div className="mt-2 overflow-hidden sm:mt-6 sm:motion-safe:[mask-image:linear-gradient(90deg,transparent,#000_6%,#000_94%,transparent)]">
        <div
          data-testid="carousel-track"
          style={{ animationPlayState: paused ? 'paused' : undefined }}
          className="flex group-focus-within/carousel:[animation-play-state:paused] hover:[animation-play-state:paused] sm:motion-safe:w-max sm:motion-safe:animate-marquee"
        >
          <Names names={names} />
          {/* The second copy closes the loop; it is there for the eye only. */}
          <div aria-hidden="true" className="motion-reduce:hidden max-sm:hidden">
            <Names names={names} />
          </div>
        </div>
      </div>
    </div>
  )
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <ul className="sm:flex sm:motion-reduce:flex-wrap sm:motion-reduce:gap-y-4">
      {names.map((name, index) => (
          <li key={name} className="font-display font-bold text-granite-600 max-sm:inline max-sm:text-xs max-sm:not-last:after:text-harbor-600 max-sm:not-last:after:content-['\00a0·_'] sm:flex sm:items-center sm:gap-3 sm:px-7 sm:py-2 sm:whitespace-nowrap sm:motion-reduce:px-3">
            <Icon name={emblems[index % emblems.length] ?? 'hospital'} className="size-6 shrink-0 text-harbor-600 max-sm:hidden" />
            {name}
          </li>
      ))}
    </ul>
  )
}
