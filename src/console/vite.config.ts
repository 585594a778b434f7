import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'

/** The server that the page talks to during development. */
const { SEO_SANDBOX_URL: sandbox = 'http://127.0.0.1:4010' } = process.env

/** Replaces Vite's helper for dynamic imports, whose 700 bytes load style sheets of scripts: the page has one sheet for all. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : null,
}

/** Builds the console into build/console, and serves it during development: `npm run dev:console`. */
export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // The page may be in any folder of a static site.
  base: './',
  publicDir: false,
  plugins: [plainImports],
  logLevel: command === 'build' ? 'warn' : 'info',
  // Calls of `createElement` take fewer bytes than the other JSX transform, which is the only one that Vite's server supports.
  oxc: {
    jsx:
      command === 'build'
        ? { runtime: 'classic', pragma: 'createElement', pragmaFrag: 'Fragment' }
        : { runtime: 'automatic', importSource: 'preact' },
  },
  build: {
    outDir: fileURLToPath(new URL('../../build/console', import.meta.url)),
    assetsDir: 'console',
    emptyOutDir: true,
    target: 'es2022',
    // The first versions with `light-dark()`. For older versions, each colour would be written as two properties.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Both would inline code or data, which the page's content security policy forbids.
    modulePreload: false,
    assetsInlineLimit: 0,
    // One file of 8 kB for all panels; otherwise panels would be shown before their styles.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // Libraries log warnings for developers; the page reports its own bugs with reportError.
      output: { minify: { compress: { dropConsole: true }, mangle: true, codegen: true } },
      treeshake: { propertyReadSideEffects: false },
      transform: {
        inject: { createElement: ['preact', 'createElement'], Fragment: ['preact', 'Fragment'] },
      },
    },
  },
  // Given an object, Vite keeps the Host, which the sandbox compares with the Origin.
  server: {
    proxy: Object.fromEntries(
      ['/_sandbox', '/api/v1', '/openapi.json'].map((path) => [path, { target: sandbox }]),
    ),
  },
}))
