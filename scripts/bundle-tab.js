import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { withoutUnusedMethods } from './without-unused-methods.js'

/** The sandbox in a page: what a visitor waits for, so that it is minified, and its parts are few. */
const WORKER = new URL('../src/tab/page/worker.ts', import.meta.url)
const SERVICE_WORKER = new URL('../src/tab/page/service-worker.ts', import.meta.url)

/**
 * Bundles the workers of a static site: that of each tab, over files that are named by their content, and the service worker, which
 * is one script, because not all browsers take modules there.
 *
 * @param {URL} folder
 */
export async function bundleTab(folder) {
  const dir = fileURLToPath(folder)
  const worker = await bundle(WORKER, {
    dir,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'yaml', test: /[\\/]node_modules[\\/]yaml[\\/]/ }] },
  })
  const serviceWorker = await bundle(SERVICE_WORKER, {
    dir,
    entryFileNames: '[name].js',
    format: 'iife',
  })
  return [...worker, ...serviceWorker]
}

/**
 * @param {URL} input
 * @param {import('rolldown').OutputOptions} options
 */
async function bundle(input, options) {
  const build = await rolldown({
    input: fileURLToPath(input),
    platform: 'browser',
    // What one part loads later, another has at once.
    checks: { ineffectiveDynamicImport: false },
    plugins: [withoutUnusedMethods()],
  })
  const { output } = await build.write({
    ...options,
    minify: true,
    comments: { annotation: false, jsdoc: false, legal: false },
  })
  await build.close()
  return output
}
