import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { withoutUnusedMethods } from './without-unused-methods.js'

/** The sandbox in a page: visitors wait for it, so that it is minified, and its parts are few. */
const WORKER = new URL('../src/tab/page/worker.ts', import.meta.url)
const SERVICE_WORKER = new URL('../src/tab/page/service-worker.ts', import.meta.url)

/** Modules that only a generated world needs, or the demo: the languages are apart. */
const GENERATOR =
  /[\\/]src[\\/](?:records[\\/]generation[\\/](?:[\w-]+\.ts|languages[\\/]index\.ts)$|world[\\/]demo-fixture\.ts$)/

/**
 * Bundles the workers of a static site: the worker of each tab, over files that are named by their content, and the service
 * worker, which is one script, because not all browsers take modules there.
 *
 * @param {URL} folder
 */
export async function bundleTab(folder) {
  const dir = fileURLToPath(folder)
  const worker = await bundle(WORKER, {
    dir,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'yaml', test: /[\\/]node_modules[\\/]yaml[\\/]/ },
        // Only the forms of faults need it, which otherwise all of Zod would be together with.
        { name: nameByStart(), debugName: 'start', includeDependenciesRecursively: false },
      ],
    },
  })
  const serviceWorker = await bundle(SERVICE_WORKER, {
    dir,
    entryFileNames: '[name].js',
    format: 'iife',
  })
  return [...worker, ...serviceWorker]
}

/**
 * Puts all modules that the worker needs at once into one file, and the modules that generate a world into another. By
 * itself the bundler divides them by whatever else is loaded later, into dozens of files that a page would find one after
 * the other.
 *
 * @returns {(id: string, context: import('rolldown').ChunkingContext) => string | null}
 */
function nameByStart() {
  /** @type {Set<string> | undefined} */
  let atOnce
  return (id, context) => {
    atOnce ??= reach(fileURLToPath(WORKER), (one) => context.getModuleInfo(one)?.importedIds ?? [])
    if (atOnce.has(id)) return 'start'
    return GENERATOR.test(id) ? 'generator' : null
  }
}

/**
 * Removes the documentation in fields and routes: a site has its OpenAPI documents as files. The fields of faults are
 * described in the console's form.
 *
 * @returns {import('rolldown').Plugin}
 */
function withoutDocumentation() {
  const text = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`[^\`$]*\`)`
  const ofField = new RegExp(String.raw`\.describe\(\s*${text},?\s*\)`, 'g')
  const ofRoute = new RegExp(String.raw`^ +(?:summary|description):\s*${text},\n`, 'gm')
  return {
    name: 'without-documentation',
    transform(code, id) {
      const [, path = ''] = /[\\/]src[\\/](.*)\.ts$/.exec(id) ?? []
      if (path === '' || /^world[\\/]faults[\\/]/.test(path)) return null
      const written = code.replace(ofField, '')
      return /^control-api[\\/]/.test(path) ? written.replace(ofRoute, '') : written
    },
  }
}

/**
 * A module and all modules that it leads to.
 *
 * @param {string} first
 * @param {(id: string) => readonly string[]} next
 */
function reach(first, next) {
  const found = new Set([first])
  for (const id of found) for (const other of next(id)) found.add(other)
  return found
}

/**
 * @param {URL} input
 * @param {import('rolldown').OutputOptions} options
 */
async function bundle(input, options) {
  const build = await rolldown({
    input: fileURLToPath(input),
    platform: 'browser',
    // Groups of modules require this.
    preserveEntrySignatures: 'allow-extension',
    // One part loads later what another loads at once.
    checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
    plugins: [withoutUnusedMethods(), withoutDocumentation()],
  })
  const { output } = await build.write({
    ...options,
    minify: true,
    comments: { annotation: false, jsdoc: false, legal: false },
  })
  await build.close()
  return output
}
