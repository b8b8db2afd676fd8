import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // The live scenarios run wherever a gateway is named.
    include: ['test/**/*.test.ts', ...(process.env.SUPABASE_URL ? ['test/**/*.live.ts'] : [])],
    // For the parity page, see tests/parity.py.
    reporters: process.env.PARITY_RESULTS
      ? ['default', ['json', { outputFile: `${process.env.PARITY_RESULTS}/scenarios.json` }]]
      : ['default'],
    setupFiles: ['test/setup.ts'],
    restoreMocks: true,
    unstubGlobals: true,
  },
})
