/**
 * Which address is open, and links that change it without loading the page anew. Names and behaviour are those of
 * React Router for the little that this site needs of it, at a tenth of its size: every page loads this.
 */
import {
  Children,
  type ComponentProps,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  createContext,
  startTransition,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'

export interface Path {
  pathname: string
  /** With its question mark, '' for none. */
  search: string
  /** With its number sign, '' for none. */
  hash: string
}

/** Where a link leads: an address, or the parts of one; a path that is not said is the current one. */
export type To = string | Partial<Path>

export interface NavigateOptions {
  /** Takes the place of the current entry of the history. */
  replace?: boolean
}

interface Navigate {
  (to: To, options?: NavigateOptions): void
  /** Steps in the history: -1 is Back. */
  (steps: number): void
}

// --- addresses ------------------------------------------------------------------------------------------------------

const ANYWHERE = 'https://site.invalid'

function parsePath(text: string, base = '/'): Path {
  const { pathname, search, hash } = new URL(text, ANYWHERE + base)
  return { pathname, search, hash }
}

const href = ({ pathname, search, hash }: Path) => pathname + search + hash

function resolve(to: To, from: Path): Path {
  if (typeof to === 'string') return parsePath(to, from.pathname)
  const { pathname = from.pathname, search = '', hash = '' } = to
  return { pathname, search: search && `?${search.replace(/^\?/, '')}`, hash: hash && `#${hash.replace(/^#/, '')}` }
}

export type Params = Record<string, string>

/** What `:names` of a pattern stand for in a path, null when it does not match. Case matters; a slash at the end does not. */
export function matchPath(pattern: string, pathname: string): Params | null {
  const wanted = pattern.split('/')
  const parts = pathname.replace(/(?<=.)\/+$/, '').split('/')
  if (wanted.at(-1) === '*') {
    wanted.pop()
    parts.length = Math.min(parts.length, wanted.length)
  }
  if (parts.length !== wanted.length) return null
  const params: Params = {}
  for (const [index, name] of wanted.entries()) {
    const part = parts[index] ?? ''
    if (name.startsWith(':') && part !== '') params[name.slice(1)] = decode(part)
    else if (name !== part) return null
  }
  return params
}

/** The path of a pattern, its `:names` filled in. */
export const generatePath = (pattern: string, params: Params) =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// --- histories ------------------------------------------------------------------------------------------------------

interface History {
  current: () => Path
  write: (path: Path, replace: boolean) => void
  go: (steps: number) => void
  /** Calls back after steps in the history; returns what ends that. */
  listen: (changed: () => void) => () => void
}

const browserHistory: History = {
  current: () => ({ pathname: window.location.pathname, search: window.location.search, hash: window.location.hash }),
  write: (path, replace) => window.history[replace ? 'replaceState' : 'pushState'](null, '', href(path)),
  go: (steps) => window.history.go(steps),
  listen: (changed) => {
    window.addEventListener('popstate', changed)
    return () => window.removeEventListener('popstate', changed)
  },
}

function memoryHistory(entries: readonly string[]): History {
  const paths = entries.map((entry) => parsePath(entry))
  let at = paths.length - 1
  const listeners = new Set<() => void>()
  return {
    current: () => paths[at] as Path,
    write: (path, replace) => {
      if (!replace) at += 1
      paths.splice(at, replace ? 1 : paths.length, path)
    },
    go: (steps) => {
      at = Math.min(Math.max(at + steps, 0), paths.length - 1)
      for (const changed of listeners) changed()
    },
    listen: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}

// --- routers --------------------------------------------------------------------------------------------------------

const Located = createContext<{ location: Path; navigate: Navigate } | null>(null)
const Matched = createContext<Params>({})

function Router({ history, children }: { history: History; children: ReactNode }) {
  const [location, setLocation] = useState(history.current)
  // As a transition, so that the page before stays until the code of the next one has come.
  const follow = useCallback(() => startTransition(() => setLocation(history.current())), [history])
  useLayoutEffect(() => history.listen(follow), [history, follow])
  const navigate = useCallback<Navigate>(
    (to: To | number, { replace = false }: NavigateOptions = {}) => {
      if (typeof to === 'number') return history.go(to)
      history.write(resolve(to, history.current()), replace)
      follow()
    },
    [history, follow],
  )
  const located = useMemo(() => ({ location, navigate }), [location, navigate])
  return <Located value={located}>{children}</Located>
}

/** Follows the browser's address. */
export function BrowserRouter({ children }: { children: ReactNode }) {
  return <Router history={browserHistory}>{children}</Router>
}

/** Has a history of its own, opened at its last entry: for prerendering and for tests. */
export function MemoryRouter({ initialEntries, children }: { initialEntries: readonly string[]; children: ReactNode }) {
  const [history] = useState(() => memoryHistory(initialEntries))
  return <Router history={history}>{children}</Router>
}

interface RouteProps {
  /** A path with `:names`; `*` at its end stands for anything. */
  path: string
  element: ReactNode
}

/** One row of `Routes`, which reads it; it draws nothing itself. */
export function Route(_props: RouteProps): ReactNode {
  return null
}

/** The element of the first route that matches, nothing without one. */
export function Routes({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  for (const { props } of Children.toArray(children) as ReactElement<RouteProps>[]) {
    const params = matchPath(props.path, pathname)
    if (params) return <Matched value={params}>{props.element}</Matched>
  }
  return null
}

// --- what pages use -------------------------------------------------------------------------------------------------

function useLocated() {
  const located = use(Located)
  if (!located) throw new Error('A link or an address was used outside a router')
  return located
}

export const useLocation = (): Path => useLocated().location
export const useNavigate = (): Navigate => useLocated().navigate
export const useParams = (): Params => use(Matched)

/** The query of the address, and how to set another one. */
export function useSearchParams(): [URLSearchParams, (query: string, options?: NavigateOptions) => void] {
  const { location, navigate } = useLocated()
  const params = useMemo(() => new URLSearchParams(location.search), [location.search])
  const setParams = useCallback((search: string, options?: NavigateOptions) => navigate({ search }, options), [navigate])
  return [params, setParams]
}

/** Leads on as soon as it is shown. */
export function Navigate({ to, replace }: { to: To } & NavigateOptions) {
  const navigate = useNavigate()
  const target = typeof to === 'string' ? to : JSON.stringify(to)
  useEffect(() => {
    navigate(to, { replace })
    // oxlint-disable-next-line react/exhaustive-deps -- `target` is what `to` says
  }, [target, replace, navigate])
  return null
}

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { to: To }

/** A real link; a plain click stays inside the page. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const { location, navigate } = useLocated()
  const target = href(resolve(to, location))
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !plain || (rest.target ?? '_self') !== '_self') return
    event.preventDefault()
    // A link to where one is already adds nothing to the history.
    navigate(to, { replace: target === href(location) })
  }
  // oxlint-disable-next-line jsx-a11y/anchor-has-content -- its content is among the rest
  return <a {...rest} href={target} onClick={follow} />
}

/** A link that says whether it leads to the current page, or with `end` unset to the section it is in. */
export function NavLink({ end = false, ...rest }: Omit<LinkProps, 'aria-current'> & { end?: boolean }) {
  const { pathname } = useLocation()
  const { pathname: target } = resolve(rest.to, { pathname, search: '', hash: '' })
  const current = pathname === target || (!end && pathname.startsWith(`${target}/`))
  return <Link {...rest} aria-current={current ? 'page' : undefined} />
}
