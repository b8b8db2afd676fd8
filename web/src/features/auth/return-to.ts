import { paths } from '@/lib/paths'

/**
 * Where to go after signing in: a path of this site, or the home page for anything else. The browser's own
 * parser decides, because '//host', '/\host' and tabs inside a scheme all lead elsewhere.
 */
export function safeReturnTo(value: string | null, origin = window.location.origin): string {
  if (!value?.startsWith('/') || !URL.canParse(value, origin)) return paths.home
  const target = new URL(value, origin)
  if (target.origin !== origin || target.pathname === paths.auth) return paths.home
  return target.pathname + target.search + target.hash
}
