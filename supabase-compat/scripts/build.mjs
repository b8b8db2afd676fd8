// Writes dist/: the package as others install it, in plain JavaScript with types. The sources stay what the site imports.

import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = process.argv[2] ?? `${root}dist`

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`, '--outDir', dist], {
  stdio: 'inherit',
})

const { private: _, scripts: __, devDependencies: ___, ...manifest } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const published = {
  ...manifest,
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  files: ['**/*.js', '**/*.d.ts', 'README.md', 'PARITY.md'],
}
writeFileSync(`${dist}/package.json`, `${JSON.stringify(published, null, 2)}\n`)
for (const page of ['README.md', 'PARITY.md']) cpSync(`${root}${page}`, `${dist}/${page}`)
