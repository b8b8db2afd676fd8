import { expect, test } from 'vitest'
import { measure } from '../scripts/size.mjs'

test('what a site loads stays within 8 kB compressed', async () => {
  const { brotli } = await measure('supabase-compat')
  expect(brotli).toBeLessThanOrEqual(8000)
})
