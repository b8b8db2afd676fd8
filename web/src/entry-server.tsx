/** Build-time rendering: each static route whole, and templates of the pages that functions render. Used by scripts/finish-build.mjs. */
import { type ReactNode, StrictMode } from 'react'
import { prerender } from 'react-dom/static'
import { StaticRouter } from 'react-router-dom'
import { Layout } from './app/layout'
import { Site, preloadSession } from './app/router'
import { notFoundPage, redirects, routes } from './app/routes'
import { type PageTemplate, art, templates } from './features/insights/templates'
import { Template } from './lib/control-flow'
import { SITE_NAME, SITE_URL, SeoCollector, type SeoTag, renderTags } from './lib/seo'
import { slot } from './templates/slots'
import { toTemplate } from './templates/syntax'
import { writer } from './templates/writer'

/** Path at which the not-found page is rendered; no route may claim it. */
export const NOT_FOUND_PATH = '/404'

export { redirects, SITE_URL, templates, toTemplate }

/** What functions must know of the site to fill its templates. */
export const siteFacts = { origin: SITE_URL, name: SITE_NAME, art }

/** Every route with the manifest key of its chunk. */
export const pages = routes.map(({ path, prerender: isStatic, Page }) => ({ path, isStatic, source: Page.source }))
export const notFoundSource = notFoundPage.source

export async function load(): Promise<void> {
  await Promise.all([preloadSession(), notFoundPage.preload(), ...routes.filter((route) => route.prerender).map((route) => route.Page.preload())])
}

/** HTML of the body's root and of the head for one path; any error while rendering ends the build. */
export const render = (path: string): Promise<Rendered> => renderAt(path, <Site />)

/** The same of a page with slots, and the data that goes along. */
export async function renderTemplate({ location, page, head, data }: PageTemplate): Promise<Rendered & { data: string }> {
  const rendered = await renderAt(
    location,
    <Template value={writer}>
      <Layout>{page}</Layout>
    </Template>,
  )
  const script = data === undefined ? '' : `<script id="${data}" type="application/json">${slot('json', 'data')}</script>`
  return { body: rendered.body, head: head ?? rendered.head, data: script }
}

export interface Rendered {
  body: string
  head: string
}

export async function renderAt(location: string, children: ReactNode): Promise<Rendered> {
  const tags: SeoTag[] = []
  let failure: unknown
  const { prelude } = await prerender(
    <StrictMode>
      <SeoCollector value={tags}>
        <StaticRouter location={location}>{children}</StaticRouter>
      </SeoCollector>
    </StrictMode>,
    {
      // React moves long suspended content out of place and needs an inline script to put it back; never do that.
      progressiveChunkSize: Number.MAX_SAFE_INTEGER,
      onError: (error) => {
        failure = error
      },
    },
  )
  const body = await new Response(prelude as ReadableStream).text()
  if (failure !== undefined) throw failure
  const [preloads, markup] = split(body)
  return { body: markup, head: preloads + renderTags(tags) }
}

/**
 * What React puts into the markup and Preact does not draw: links that fetch pictures early, which belong into the head, and
 * marks of suspense boundaries. Preact would move all that comes after one before it as it takes the page over, so that
 * the page would be laid out once more and whoever is in a field would lose it.
 */
function split(html: string): [preloads: string, markup: string] {
  const [preloads] = /^(?:<link rel="preload"[^>]*>)*/.exec(html) ?? ['']
  return [preloads, html.slice(preloads.length).replaceAll(/<!--\/?\$-->/g, '')]
}
