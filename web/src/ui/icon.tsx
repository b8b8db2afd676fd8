import sprite from './icons.svg'

/** Names by which pages and content ask for an icon; each is a symbol of the sprite. */
export type IconName =
  | 'alert' | 'archive' | 'award' | 'back' | 'building' | 'calendar' | 'card' | 'care' | 'certificate' | 'check'
  | 'clipboard' | 'clock' | 'close' | 'container' | 'document' | 'done' | 'down' | 'external' | 'flame' | 'flask'
  | 'forward' | 'government' | 'heart' | 'hospital' | 'leaf' | 'link' | 'lock' | 'mail' | 'menu' | 'microscope'
  | 'missing' | 'next' | 'offline' | 'pause' | 'paw' | 'people' | 'phone' | 'pill' | 'pin' | 'play' | 'plus'
  | 'previous' | 'price' | 'print' | 'quick' | 'recycle' | 'retry' | 'route' | 'scale' | 'search' | 'share' | 'sharps'
  | 'shield' | 'siren' | 'star' | 'stethoscope' | 'support' | 'training' | 'truck' | 'user' | 'waste' | 'waves'
  | 'write'

/** Decorative: the words beside it carry the meaning. */
export function Icon({ name, className }: { name: IconName; className?: string }) {
  return (
    <svg aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" className={className}>
      <use href={`${sprite}#${name}`} />
    </svg>
  )
}

/** The dark tile with a gold icon that marks cards. */
export function IconTile({ name, small }: { name: IconName; small?: boolean }) {
  return (
    <span className={`grid shrink-0 place-items-center rounded-md bg-harbor-900 text-gold-400 ${small ? 'size-11' : 'size-13'}`}>
      <Icon name={name} className={small ? 'size-5' : 'size-6'} />
    </span>
  )
}
