/**
 * The site's settings, read once. The gateway serves them as `/env.js` (`window.__ENV__`), so one build
 * runs anywhere; under `vite dev` without a gateway the variables `VITE_…` stand in.
 */
declare global {
  interface Window {
    __ENV__?: Partial<Record<string, string>>
  }
}

export interface Env {
  /** Origin of the gateway, without a trailing slash. */
  supabaseUrl: string
  /** The `sb_publishable_…` key; safe to show to anyone. */
  publishableKey: string
  /** Tag-manager container such as `GTM-ABC123`, or '' for none. */
  gtmId: string
}

type Source = Partial<Record<string, string>>

const CONTAINER_ID = /^GTM-[A-Z0-9]+$/

/** Settings from `source`; throws one error that lists everything that is wrong. */
export function parseEnv(source: Source, origin: string): Env {
  const faults: string[] = []
  const supabaseUrl = (source.SUPABASE_URL || origin).replace(/\/+$/, '')
  if (!URL.canParse(supabaseUrl)) faults.push(`SUPABASE_URL is not an address: "${supabaseUrl}"`)
  const publishableKey = source.SUPABASE_PUBLISHABLE_KEY ?? ''
  if (!publishableKey) faults.push('SUPABASE_PUBLISHABLE_KEY is missing')
  const gtmId = source.GTM_ID ?? ''
  if (gtmId && !CONTAINER_ID.test(gtmId)) faults.push(`GTM_ID is not a container id: "${gtmId}"`)
  if (faults.length > 0) throw new Error(`The site is not configured: ${faults.join('; ')}.`)
  return { supabaseUrl, publishableKey, gtmId }
}

function served(): Source {
  const fallback = import.meta.env as Record<string, string | undefined>
  return (
    window.__ENV__ ?? {
      SUPABASE_URL: fallback.VITE_SUPABASE_URL,
      SUPABASE_PUBLISHABLE_KEY: fallback.VITE_SUPABASE_PUBLISHABLE_KEY,
      GTM_ID: fallback.VITE_GTM_ID,
    }
  )
}

let parsed: Env | undefined

/** The settings; lazy, because pages are also rendered at build time where there is no window. */
export function env(): Env {
  parsed ??= parseEnv(served(), window.location.origin)
  return parsed
}

/** The site's public address without a trailing slash: that of the gateway which serves it, else the one it was built for. */
export const siteUrl = (): string => (typeof window === 'undefined' ? undefined : served().SITE_URL) || __SITE_URL__

/** The container id alone, or '': measuring must not fail a page whose other settings are wrong. */
export function tagManagerId(): string {
  const id = served().GTM_ID ?? ''
  return CONTAINER_ID.test(id) ? id : ''
}
