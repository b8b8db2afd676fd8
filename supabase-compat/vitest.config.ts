import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // The live scenarios run wherever a gateway is named.
    include: ['test/**/*.test.ts', ...(process.env.SUPABASE_URL ? ['test/**/*.live.ts'] : [])],
    setupFiles: ['test/setup.ts'],
    restoreMocks: true,
    unstubGlobals: true,
  },
})
