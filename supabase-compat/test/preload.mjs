/**
 * Loaded before a script that drives the official client: the names of the methods it calls are added to the file
 * PARITY_CALLS, a line each, with the title of the test that called.
 */

import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { observed } from './observe.mjs'

const out = process.env.PARITY_CALLS
if (out) {
  const official = createRequire(import.meta.url)('@supabase/supabase-js')
  const { createClient } = official
  let title = ''
  official.createClient = (/** @type {unknown[]} */ ...args) =>
    observed(createClient(...args), (method) => appendFileSync(out, `${JSON.stringify([method, title])}\n`))
  // Only where tests run: the import alone makes a script report as one.
  if (process.env.NODE_TEST_CONTEXT) {
    const { beforeEach } = await import('node:test')
    beforeEach((test) => {
      title = 'fullName' in test ? test.fullName : ''
    })
  }
}
