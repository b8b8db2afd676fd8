import type { ComponentProps } from 'react'
import { Icon } from './icon'
import { Input } from './input'

type SearchBoxProps = Omit<ComponentProps<typeof Input>, 'type'> & { 'aria-label': string }

export function SearchBox(props: SearchBoxProps) {
  return (
    <span className="relative block [&_input]:pl-11">
      <Icon name="search" className="pointer-events-none absolute top-1/2 left-3.5 z-10 size-5 -translate-y-1/2 text-granite-600" />
      <Input {...props} type="search" maxLength={200} />
    </span>
  )
}
