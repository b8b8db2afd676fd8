/// <reference types="vitest/config" />
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { type Plugin, defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where `vite dev` finds a running gateway. `/auth` alone is a page, so only the versioned prefixes are relayed. */
const gateway = process.env.GATEWAY_URL ?? 'http://127.0.0.1:54321'
const proxy = Object.fromEntries(
  ['/rest/v1', '/auth/v1', '/functions/v1', '/storage/v1', '/env.js'].map((prefix) => [prefix, gateway]),
)

/** `VITE_CLIENT=official` builds the same site on the official client, which lies among the tools of ours. */
const officialClient = here('../supabase-compat/node_modules/@supabase/supabase-js')
const client = process.env.VITE_CLIENT === 'official' ? [{ find: 'supabase-compat', replacement: officialClient }] : []

/**
 * Lets unused parts of React Router be left out. It names its components for developers' tools as it loads, and a bundler
 * has to keep whatever such a line touches: forms, fetchers and data routes, 4 kB on every page.
 */
const slimRouter: Plugin = {
  name: 'slim-router',
  apply: 'build',
  transform: {
    filter: { id: /node_modules\/react-router\// },
    handler: (code) =>
      code.replace(/^\w+\.displayName = "\w+";$/gm, '').replace(/\bReact\d*\.(createContext|forwardRef|memo)\(/g, '/* @__PURE__ */ $&'),
  },
}

/** Two dozen small files cost more in headers than they save: a page is its own chunk and what most pages share. */
const chunkGroups = [
  { name: 'shared', test: /src\/app\/(?!session-area)|parts\/structured-data|lib\/(seo|paths|early-fields|early-text|session-end|use-alive)|ui\/input/ },
  { name: 'shared', test: /src\/parts\//, minShareCount: 3 },
  // Before the one of Insights, which would take along what draws an icon, and be loaded by whoever draws one.
  { name: 'forms', test: /features\/forms\/|content\/requests|ui\/(field|choice-group)|lucide-react\/(?!.*\/icons\/)/, minShareCount: 3 },
  { name: 'insights', test: /features\/insights\/(?!.*-(page|view|actions))|ui\/(pagination|pages|search-box|badge)|lib\/(dates|server-data|results|use-debounced-text|use-late-query)/ },
]

/**
 * In the browser the components run on Preact, which does what the site needs of React in a tenth of its bytes: a page is
 * to be read on a phone before its script is there. React itself renders the pages at build time and runs the tests.
 */
const preact = [
  { find: /^react\/jsx-(dev-)?runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react(-dom)?$/, replacement: 'preact/compat' },
]

export default defineConfig(({ command, isSsrBuild }) => ({
  plugins: [react(), tailwindcss(), slimRouter],
  define: {
    // Canonical addresses and social cards need an absolute origin when the pages are built.
    __SITE_URL__: JSON.stringify((process.env.SITE_URL ?? 'https://www.unitedmedicalwaste.example').replace(/\/$/, '')),
  },
  resolve: {
    alias: [
      ...client,
      ...(command === 'build' && isSsrBuild !== true ? preact : []),
      { find: '@functions', replacement: here('../functions') },
      { find: /^@\//, replacement: here('./src/') },
    ],
  },
  server: { proxy, fs: { allow: [here('..')] } },
  preview: { proxy },
  build: {
    manifest: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups } } },
  },
  ssr: { noExternal: true },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
    restoreMocks: true,
    testTimeout: 60_000,
  },
}))
