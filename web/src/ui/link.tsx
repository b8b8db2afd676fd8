/**
 * Links that change the address without loading the page anew: React Router's hooks behind a plain `a`. Its own `Link`
 * brings a way to fetch ahead along that this site has already (lib/preload), 2 kB on every page.
 */
import type { ComponentProps, MouseEvent } from 'react'
import { type To, useHref, useLinkClickHandler, useLocation, useResolvedPath } from 'react-router-dom'

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  to: To
  /** What the page that is led to should know; its address stays the same. */
  state?: unknown
}

/** A real link; a plain click stays inside the page. */
export function Link({ to, state, onClick, target, ...rest }: LinkProps) {
  const href = useHref(to)
  const follow = useLinkClickHandler(to, { target, state })
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (!event.defaultPrevented) follow(event)
  }
  // oxlint-disable-next-line jsx-a11y/anchor-has-content -- its content is among the rest
  return <a {...rest} href={href} target={target} onClick={click} />
}

/** A link that says whether it leads to the current page, or with `end` unset to the section it is in. */
export function NavLink({ end = false, ...rest }: Omit<LinkProps, 'aria-current'> & { end?: boolean }) {
  const { pathname } = useLocation()
  const { pathname: target } = useResolvedPath(rest.to)
  const current = pathname === target || (!end && pathname.startsWith(`${target}/`))
  return <Link {...rest} aria-current={current ? 'page' : undefined} />
}
