import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'

/** URL of the server that handles the API requests of the page during development. */
const { SEO_SANDBOX_URL: sandbox = 'http://127.0.0.1:4010' } = process.env

/** Replaces Vite's helper for dynamic imports, whose 700 bytes load a style sheet per script: this page has one for all. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : null,
}

/** Configures the build into build/console, and the server of `npm run dev:console`. */
export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Relative URLs, because the page may be in any folder of a static site.
  base: './',
  publicDir: false,
  plugins: [plainImports],
  logLevel: command === 'build' ? 'warn' : 'info',
  // The classic transform results in a smaller build. Vite's server supports only the automatic transform.
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
    // Saves 900 bytes for a polyfill that these browsers do not need.
    modulePreload: false,
    // The page's content security policy permits `data:` URLs only for images.
    assetsInlineLimit: 0,
    // With a style sheet for each script, panels would be shown before their styles arrive.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // Drops calls of `console` methods, which only libraries make. The page reports its own bugs with `reportError`.
      output: { minify: { compress: { dropConsole: true }, mangle: true, codegen: true } },
      treeshake: { propertyReadSideEffects: false },
      transform: {
        inject: { createElement: ['preact', 'createElement'], Fragment: ['preact', 'Fragment'] },
      },
    },
  },
  // With an object instead of a URL, Vite's proxy keeps the Host header, which the sandbox compares with Origin.
  server: {
    proxy: Object.fromEntries(
      ['/_sandbox', '/api/v1', '/openapi.json'].map((path) => [path, { target: sandbox }]),
    ),
  },
}))
