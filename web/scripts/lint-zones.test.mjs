import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const web = join(import.meta.dirname, '..')
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zones-'))
  await copyFile(join(web, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Whether the site's linter refuses a file with one import. */
async function refuses(file, statement) {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${statement}\n`)
  const found = await promisify(execFile)(join(web, 'node_modules/.bin/oxlint'), ['--format=json', file], { cwd: folder }).catch((error) => error)
  await rm(path)
  return JSON.parse(found.stdout).diagnostics.some(({ code }) => code.includes('no-restricted-imports'))
}

const planted = [
  ['a feature of app', 'src/features/forms/a.ts', "export { paths } from '@/app/paths'"],
  ['a feature of app, when it is needed', 'src/features/forms/a.tsx', "export const a = () => import('@/app/layout')"],
  ['a feature of app, as a type', 'src/features/forms/api/a.ts', "import type { A } from '@/app/routes'\nexport type B = A"],
  ['a feature of app, by the way there', 'src/features/forms/a.ts', "export { a } from '../../app/routes'"],
  ['a feature of another', 'src/features/insights/a.ts', "export { a } from '@/features/admin/text'"],
  ['a feature of another, by the way there', 'src/features/insights/a.ts', "export { a } from '../admin/text'"],
  ['a folder of a feature of another', 'src/features/insights/api/a.ts', "export { a } from '../../admin/text'"],
  ['ui of a feature', 'src/ui/a.ts', "export { a } from '@/features/admin/text'"],
  ['ui of content', 'src/ui/a.ts', "export { a } from '@/content/site'"],
  ['ui, by the way there', 'src/ui/a.ts', "export { a } from '../app/layout'"],
  ['lib of ui', 'src/lib/a.ts', "export { a } from '@/ui/button'"],
  ['parts of a feature', 'src/parts/a.ts', "export { a } from '@/features/admin/text'"],
  ['content of app', 'src/content/cities/a.ts', "export { a } from '@/app/routes'"],
  ['templates of a feature', 'src/templates/a.ts', "export { a } from '@/features/admin/text'"],
  ['app of the console', 'src/app/a.ts', "export { a } from '@/console/app'"],
  ['a feature of the console, by the way there', 'src/features/forms/a.ts', "export { a } from '../../console/app'"],
  ['the console of a feature', 'src/console/tables/a.ts', "export { a } from '@/features/admin/text'"],
  ['the helpers of tests of a feature', 'src/testing/a.ts', "export { a } from '@/features/admin/text'"],
]

test.each(planted)('an import is refused: %s', async (_title, file, statement) => {
  expect(await refuses(file, statement)).toBe(true)
})

const allowed = [
  ['a feature of what all share', 'src/features/forms/a.ts', "export { paths } from '@/lib/paths'\nexport { a } from '@/parts/faq'"],
  ['a feature of itself', 'src/features/forms/api/a.ts', "export { a } from '../schema'\nexport { b } from './b'"],
  ['app of a feature', 'src/app/a.ts', "export { a } from '@/features/admin/text'"],
]

test.each(allowed)('an import is taken: %s', async (_title, file, statement) => {
  expect(await refuses(file, statement)).toBe(false)
})
