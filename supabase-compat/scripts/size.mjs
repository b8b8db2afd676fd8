// Bytes of each client for a site: `createClient` and all that it brings along, bundled and minified. A class keeps all
// its methods, so which of them a site calls makes no difference. Run directly it prints a table.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export const CLIENTS = { 'supabase-compat': './src/index.ts', '@supabase/supabase-js': '@supabase/supabase-js' }

// Fetched at the first call of a method in it, which a site may never make.
const ON_DEMAND = ['./on-demand.js', './realtime/on-demand.js', './storage/on-demand.js']

/**
 * @param {keyof typeof CLIENTS} name
 * @param {string[]} external modules left out
 */
async function bundle(name, external) {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { createClient } from '${CLIENTS[name]}'`,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external,
    write: false,
    legalComments: 'none',
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

/** @param {Uint8Array} bytes */
const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length

/**
 * @param {keyof typeof CLIENTS} name
 * @returns {Promise<{ minified: number, gzip: number, brotli: number, withOnDemand: number }>} bytes of what every visit
 * loads, and, compressed with brotli, of everything
 */
export async function measure(name) {
  const first = await bundle(name, ON_DEMAND)
  return {
    minified: first.length,
    gzip: gzipSync(first, { level: 9 }).length,
    brotli: brotli(first),
    withOnDemand: brotli(await bundle(name, [])),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.table({
    'supabase-compat': await measure('supabase-compat'),
    '@supabase/supabase-js': await measure('@supabase/supabase-js'),
  })
}
