/**
 * After both bundles are built: one HTML file per static route, the shell for dynamic ones, the 404 page,
 * templates for functions, routes.json for the server, sitemap, robots, service worker, and compressed twins of everything textual.
 * All of it is made in dist-next, which then takes the place of dist at once: a running server has the
 * older build until it has the whole newer one.
 */
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { serviceWorker } from './service-worker.mjs'

const web = join(import.meta.dirname, '..')
const dist = join(web, 'dist-next')

const server = await import(join(web, 'dist-ssr/entry-server.js'))
const manifest = JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8'))
const template = await readFile(join(dist, 'index.html'), 'utf8')

const strays = Object.keys(manifest).filter((source) => source.startsWith('src/console/'))
if (strays.length > 0) throw new Error(`the console has a build of its own, yet the site's has ${strays.join(', ')}`)

const entry = manifest['index.html']
const fonts = (entry.assets ?? []).filter((file) => file.endsWith('.woff2'))
const fontLinks = fonts.map((file) => `<link rel="preload" href="/${file}" as="font" type="font/woff2" crossorigin>`)

/** Links that fetch a page's own code together with the entry instead of after it. */
function chunkLinks(source) {
  const files = new Set()
  const visit = (key) => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`${key} is not in the manifest`)
    if (chunk === entry || files.has(chunk.file)) return
    files.add(chunk.file)
    chunk.imports?.forEach(visit)
  }
  visit(source)
  return [...files].map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`)
}

/** `data` is what the browser draws a filled template of, to take it over as it stands. */
function document({ head = '', body = '', data = '', prerendered, links = [] }) {
  const mark = prerendered === undefined ? (data ? ' data-filled' : '') : ` data-prerendered="${prerendered}"`
  const root = `<div id="root"${mark}>`
  return template
    .replace('<!--head-->', () => [...fontLinks, head, ...links].filter(Boolean).join('\n    '))
    .replace('<div id="root">', () => root + body)
    .replace('</body>', () => (data ? `  ${data}\n  </body>` : '</body>'))
}

/** Scripts are forbidden inline by the content security policy, and suspended content would be invisible without them. */
function assertPlain(path, body) {
  const inline = body.match(/\$RC|<template|<script(?![^>]*application\/ld\+json)/)
  if (inline) throw new Error(`${path} was rendered with "${inline[0]}" in it`)
}

async function put(file, text) {
  await mkdir(dirname(join(dist, file)), { recursive: true })
  await writeFile(join(dist, file), text)
}

await server.load()

const staticFiles = {}
const sitemapPaths = []
for (const { path, isStatic, source } of server.pages) {
  if (!isStatic) continue
  const { head, body } = await server.render(path)
  assertPlain(path, body)
  const file = path === '/' ? 'index.html' : `${path.slice(1)}.html`
  await put(file, document({ head, body, prerendered: path, links: chunkLinks(source) }))
  staticFiles[path] = file
  if (!head.includes('noindex')) sitemapPaths.push(path)
}

const notFound = await server.render(server.NOT_FOUND_PATH)
assertPlain('404', notFound.body)
await put('404.html', document({ ...notFound, prerendered: '*', links: chunkLinks(server.notFoundSource) }))
await put('app-shell.html', document({}))

// Pages that functions fill when they are asked for. The ending keeps browsers from showing one as a page.
for (const page of server.templates) {
  const rendered = await server.renderTemplate(page)
  assertPlain(page.name, rendered.body)
  await put(`templates/${page.name}.template`, server.toTemplate(document({ ...rendered, links: chunkLinks(page.source) })))
}
await put('templates/site.json', JSON.stringify(server.siteFacts))

const address = (path) => server.SITE_URL + path
await put(
  'sitemap.xml',
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${sitemapPaths
    .map((path) => `  <url><loc>${address(path)}</loc></url>\n`)
    .join('')}</urlset>\n`,
)
await put('robots.txt', `User-agent: *\nDisallow: /admin/\nDisallow: /rest/\nDisallow: /functions/\n\nSitemap: ${address('/sitemap.xml')}\n`)
const addressed = []
for (const file of await readdir(dist, { recursive: true })) {
  if (!/\.(html|template|json|xml|txt)$/.test(file) || file.startsWith('.vite')) continue
  if ((await readFile(join(dist, file), 'utf8')).includes(server.SITE_URL)) addressed.push(file)
}

const dynamicPages = server.pages.filter((page) => !page.isStatic)
await put(
  'routes.json',
  JSON.stringify(
    {
      static: staticFiles,
      dynamic: dynamicPages.map((page) => page.path),
      redirects: server.redirects,
      shell: 'app-shell.html',
      notFound: '404.html',
      /** The public address that these files name in full; a server with another one puts that in its place. */
      origin: server.SITE_URL,
      addressed,
      /** Chunks of dynamic pages, for whoever renders their HTML on request. */
      sources: Object.fromEntries(dynamicPages.map((page) => [page.path, page.source])),
    },
    null,
    2,
  ),
)

await put('sw.js', serviceWorker(['/offline', `/${entry.file}`, ...(entry.css ?? []).map((file) => `/${file}`), ...fonts.map((file) => `/${file}`)]))

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
const textual = /\.(html|template|js|css|svg|json|xml|txt|webmanifest)$/
const files = (await readdir(dist, { recursive: true })).filter((file) => textual.test(file) && !file.startsWith('.vite'))
await Promise.all(
  files.map(async (file) => {
    const bytes = await readFile(join(dist, file))
    const [br, gz] = await Promise.all([
      compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      compressGzip(bytes, { level: 9 }),
    ])
    await Promise.all([writeFile(join(dist, `${file}.br`), br), writeFile(join(dist, `${file}.gz`), gz)])
  }),
)

const served = join(web, 'dist')
const older = join(web, 'dist-older')
await rm(older, { recursive: true, force: true })
await rename(served, older).catch((error) => {
  if (error.code !== 'ENOENT') throw error
})
await rename(dist, served)
await Promise.all([older, join(web, 'dist-ssr')].map((folder) => rm(folder, { recursive: true, force: true })))
console.log(`${Object.keys(staticFiles).length} pages rendered, ${files.length} files compressed`)
