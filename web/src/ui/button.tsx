import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Link } from '@/ui/link'
import { Spinner } from './spinner'

export type ButtonVariant = 'gold' | 'primary' | 'outline' | 'onDark' | 'quiet' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

const variants: Record<ButtonVariant, string> = {
  gold: 'bg-gold-400 text-harbor-950 shadow-[inset_0_-2px_0_rgb(133_91_0/0.35)] hover:bg-gold-300',
  primary: 'bg-harbor-700 text-white hover:bg-harbor-800',
  outline: 'border border-granite-400 bg-white text-ink hover:border-harbor-700 hover:bg-harbor-50',
  onDark: 'border border-harbor-200/60 text-white hover:border-white hover:bg-white/10',
  quiet: 'text-harbor-700 hover:bg-harbor-50',
  danger: 'bg-danger text-white hover:bg-danger/90',
}

const sizes: Record<ButtonSize, string> = {
  sm: 'min-h-9 gap-1.5 px-3 text-sm',
  md: 'min-h-11 gap-2 px-5 text-base',
  lg: 'min-h-13 gap-2.5 px-5 text-base sm:px-7',
}

interface Look {
  variant?: ButtonVariant
  size?: ButtonSize
  /** Fills the width of its container. */
  wide?: boolean
}

export function buttonClass({ variant = 'primary', size = 'md', wide }: Look = {}): string {
  return clsx(
    'inline-flex items-center justify-center rounded-md py-1.5 text-center leading-tight font-semibold transition-colors [&_svg]:size-[1.15em] [&_svg]:shrink-0',
    'disabled:opacity-60 aria-disabled:opacity-60',
    variants[variant],
    sizes[size],
    wide && 'w-full',
  )
}

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & Look & {
  /** Shows a spinner and refuses clicks while the label stays readable. */
  busy?: boolean
}

export function Button({ variant, size, wide, busy, disabled, type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} disabled={disabled || busy} aria-busy={busy || undefined} className={buttonClass({ variant, size, wide })}>
      {busy && <Spinner />}
      {children}
    </button>
  )
}

type ButtonLinkProps = Omit<ComponentProps<typeof Link>, 'className'> & Look

/** A link inside the site that looks like a button. */
export function ButtonLink({ variant, size, wide, ...rest }: ButtonLinkProps) {
  return <Link {...rest} className={buttonClass({ variant, size, wide })} />
}
