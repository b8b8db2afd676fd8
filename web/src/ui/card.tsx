import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

/** White surface with a hairline border. `tinted` is for side notes. */
export function Card({ tinted, children, ...rest }: Omit<ComponentProps<'div'>, 'className'> & { tinted?: boolean }) {
  return (
    <div {...rest} className={clsx('rounded-lg border p-6', tinted ? 'border-harbor-100 bg-harbor-50' : 'border-granite-200 bg-white')}>
      {children}
    </div>
  )
}
