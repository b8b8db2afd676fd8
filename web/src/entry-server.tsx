/** Build-time rendering: one HTML body and its head tags per static route. Used by scripts/finish-build.mjs. */
import { StrictMode } from 'react'
import { prerender } from 'react-dom/static'
import { StaticRouter } from 'react-router-dom'
import { Site } from './app/router'
import { notFoundPage, redirects, routes } from './app/routes'
import { SITE_URL, SeoCollector, type SeoTag, renderTags } from './lib/seo'

/** Path at which the not-found page is rendered; no route may claim it. */
export const NOT_FOUND_PATH = '/404'

export { redirects, SITE_URL }

/** Every route with the manifest key of its chunk. */
export const pages = routes.map(({ path, prerender: isStatic, Page }) => ({ path, isStatic, source: Page.source }))
export const notFoundSource = notFoundPage.source

export async function load(): Promise<void> {
  await Promise.all([notFoundPage.preload(), ...routes.filter((route) => route.prerender).map((route) => route.Page.preload())])
}

/** HTML of the body's root and of the head for one path; any error while rendering ends the build. */
export async function render(path: string): Promise<{ body: string; head: string }> {
  const tags: SeoTag[] = []
  let failure: unknown
  const { prelude } = await prerender(
    <StrictMode>
      <SeoCollector value={tags}>
        <StaticRouter location={path}>
          <Site />
        </StaticRouter>
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
  return { body, head: renderTags(tags) }
}
