/**
 * Draws the pictures that must be PNG: social cards (1200 by 630) and the icons of the site, from our own
 * drawings. They are kept in public/; run `npm run cards` after changing a drawing or a title. Needs Chromium
 * (CHROMIUM, or `chromium` on the PATH).
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const web = join(import.meta.dirname, '..')
const run = promisify(execFile)
const chromium = process.env.CHROMIUM ?? 'chromium'

/** File in public/og, title, drawing in src/art. */
const cards = [
  ['default', 'Medical waste, handled from pickup to proof.', 'new-england'],
  ['services', 'Every regulated stream, one phone number.', 'truck'],
  ['medical-waste', 'Medical waste collection & disposal', 'containers'],
  ['pharmaceutical', 'Pharmaceutical waste disposal', 'pharmacy'],
  ['compliance-training', 'OSHA, HIPAA, DOT & RCRA training', 'training'],
  ['quote', 'A written price within 24 hours.', 'sheet'],
  ['quick-start', 'Quick Start: monthly pickups', 'calendar'],
  ['worcester', 'Medical waste disposal in Worcester, MA', 'city-worcester'],
  ['boston', 'Medical waste disposal in Boston, MA', 'city-boston'],
  ['providence', 'Medical waste disposal in Providence, RI', 'city-providence'],
  ['cape-cod', 'Medical waste disposal on Cape Cod, MA', 'city-capecod'],
  ['hartford', 'Medical waste disposal in Hartford, CT', 'city-hartford'],
]

const file = (path) => pathToFileURL(join(web, path)).href
// A mask may not come from a file, so it travels inside the page.
const contours = `data:image/svg+xml;base64,${await readFile(join(web, 'src/art/contours.svg'), 'base64')}`
const mark = await readFile(join(web, 'public/favicon.svg'), 'utf8')

const card = (title, art) => `<!doctype html><meta charset="utf-8"><style>
@font-face { font-family: Display; font-weight: 400 900; src: url("${file('node_modules/@fontsource-variable/schibsted-grotesk/files/schibsted-grotesk-latin-wght-normal.woff2')}") }
@font-face { font-family: Text; font-weight: 100 900; src: url("${file('node_modules/@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2')}") }
* { box-sizing: border-box; margin: 0 }
body { width: 1200px; height: 630px; padding: 64px; background: #0a2a35; color: #fff; font-family: Text; position: relative; overflow: hidden }
.name { position: relative; display: flex; align-items: center; gap: 18px; font: 800 30px/1.1 Display }
.name svg { width: 64px; height: 64px; background: #fff; border-radius: 10px; padding: 6px }
h1 { position: absolute; left: 64px; top: 210px; width: 640px; font: 800 68px/1.06 Display; letter-spacing: -0.028em; text-wrap: balance }
p { position: absolute; left: 64px; bottom: 64px; font-size: 26px; color: #d8eaeb }
p b { color: #f4b93a; padding-right: 14px }
u { position: absolute; inset: 0; background: rgb(143 192 197 / 0.16); mask: url("${contours}") center / cover }
i { position: absolute; right: -180px; top: -110px; width: 850px; height: 850px; border-radius: 50%; background: #0b3744 }
img { position: absolute; right: 56px; top: 50%; transform: translateY(-50%); width: 440px; max-height: 520px }
</style><u></u><i></i><div class="name">${mark}<span>United<br>Medical Waste</span></div><h1>${title}</h1><p><b>●</b>All six New England states, since 1995</p><img src="${file(`src/art/${art}.svg`)}">`

const icon = (size) => `<!doctype html><style>* { margin: 0 } body { width: ${size}px; height: ${size}px; background: #fff } svg { width: 88%; height: 88%; margin: 6% } </style>${mark}`

async function draw(html, width, height, target) {
  const folder = await mkdtemp(join(tmpdir(), 'cards-'))
  const page = join(folder, 'page.html')
  await writeFile(page, html)
  await run(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--virtual-time-budget=3000', `--user-data-dir=${folder}/profile`, `--window-size=${width},${height}`, `--screenshot=${target}`, pathToFileURL(page).href])
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** An .ico file that holds one PNG. */
function ico(png, size) {
  const header = Buffer.alloc(22)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(1, 4)
  header.writeUInt8(size, 6)
  header.writeUInt8(size, 7)
  header.writeUInt16LE(1, 10)
  header.writeUInt16LE(32, 12)
  header.writeUInt32LE(png.length, 14)
  header.writeUInt32LE(22, 18)
  return Buffer.concat([header, png])
}

await mkdir(join(web, 'public/og'), { recursive: true })
for (const [name, title, art] of cards) await draw(card(title, art), 1200, 630, join(web, `public/og/${name}.png`))
await draw(icon(180), 180, 180, join(web, 'public/apple-touch-icon.png'))
await draw(icon(512), 512, 512, join(web, 'public/icon-512.png'))
const small = join(await mkdtemp(join(tmpdir(), 'icon-')), '32.png')
await draw(icon(32), 32, 32, small)
await writeFile(join(web, 'public/favicon.ico'), ico(await readFile(small), 32))
