import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where `vite dev` finds a running gateway with its console. */
const gateway = process.env.GATEWAY_URL ?? 'http://127.0.0.1:54321'

/**
 * The console: a second page with a build of its own, so that nothing of it is in the site's bundles. It is part of the
 * Python package, which serves it. React itself runs it: the editor and the grid are made for that.
 */
export default defineConfig({
  base: '/_console/',
  publicDir: false,
  plugins: [react(), tailwindcss()],
  resolve: { alias: [{ find: /^@\//, replacement: here('./src/') }] },
  server: { proxy: { '/_console/api': gateway } },
  build: {
    outDir: here('../gateway/console/page'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { input: here('./console.html') },
  },
})
