import { copyFile, cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { esmExternalRequirePlugin } from 'rolldown/plugins'
import { build } from 'vite'
import { bundleTab } from './bundle-tab.js'
import { withoutUnusedMethods } from './without-unused-methods.js'

/**
 * Bundles the output of tsc in build/ into build/dist: an entry for each export of the package and one for the command
 * line, over files that they share. Node takes longer to find and read hundreds of modules than to serve a request
 * (docs/decisions/0014). Code that is loaded on demand stays a file or a package of its own, named by its content. The
 * console, which is a web page, is bundled by Vite.
 */

const ENTRIES = {
  index: 'index.js',
  data: 'data.js',
  matchers: 'matchers.js',
  msw: 'msw.js',
  rehearse: 'rehearse.js',
  server: 'server.js',
  vitest: 'vitest.js',
  'command-line': 'cli/main.js',
}

/** Files that are loaded at once: entries, and the command that most starts of the command line run. */
const STARTS = {
  index: ENTRIES.index,
  msw: ENTRIES.msw,
  server: ENTRIES.server,
  data: ENTRIES.data,
  'command-line': ENTRIES['command-line'],
  serve: 'cli/serve.js',
}

/** Entries that users import: through them pages never load code for Node, nor servers code for the command line. */
const IMPORTED = ['index', 'msw', 'data', 'server']

/** Packages that stay outside: used by users' own code, large, or seldom needed. */
const OUTSIDE =
  /^(?:@sinonjs\/fake-timers|@remix-run\/node-fetch-server|chokidar|cors|msw|prom-client|redis|vitest)(?:\/|$)/

const BUILD = new URL('../build/', import.meta.url)
const CONSOLE = new URL('../src/console/vite.config.ts', import.meta.url)
const DIST = new URL('../build/dist/', import.meta.url)

// The page comes first: the server's code contains its name.
const built = await build({ configFile: fileURLToPath(CONSOLE) })
const page = /** @type {import('rolldown').RolldownOutput} */ (built)
const tab = await bundleTab(new URL('site/', BUILD))
await writeSiteFiles()

const inputs = Object.entries(ENTRIES).map(([name, file]) => [
  name,
  fileURLToPath(new URL(file, BUILD)),
])
const bundle = await rolldown({
  input: Object.fromEntries(inputs),
  external: OUTSIDE,
  // Browsers load this code too.
  platform: 'neutral',
  resolve: { mainFields: ['module', 'main'] },
  // Groups of modules require this.
  preserveEntrySignatures: 'allow-extension',
  checks: { bundlerTimings: false },
  plugins: [
    esmExternalRequirePlugin({ external: [/^node:/] }),
    withoutUnusedMethods(),
    withFilesByContent(),
  ],
})
const { output } = await bundle.write({
  dir: fileURLToPath(DIST),
  chunkFileNames: 'shared/[name]-[hash].js',
  assetFileNames: ({ names: [name = ''] }) =>
    `${name.endsWith('.html') ? 'console' : 'shared'}/[name]-[hash][extname]`,
  // Licences are in LICENSES.txt. Annotations stay: bundlers of pages rely on them.
  comments: { annotation: true, jsdoc: false, legal: false },
  codeSplitting: {
    groups: [
      ...['zod', 'yaml'].map((name) => ({
        name,
        test: new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`),
      })),
      {
        name: nameByStarts(),
        debugName: 'starts',
        // A start of a module is also a start of its imports, so that no two files import each other.
        includeDependenciesRecursively: false,
      },
    ],
  },
})
await bundle.close()
for (const name of ['openapi.json', 'control-openapi.json']) {
  await copyFile(new URL(name, BUILD), new URL(name, DIST))
}
for (const folder of ['console', 'site']) {
  await cp(new URL(folder, BUILD), new URL(folder, DIST), {
    recursive: true,
    filter: (file) => !file.endsWith('.html'),
  })
}
const files = [...output, ...page.output, ...tab]
await writeFile(new URL('LICENSES.txt', DIST), await readLicenses(files))
await writeFile(new URL('bundled-modules.json', BUILD), JSON.stringify(listModules(output)))

/** Lists the files of a static site: its page, and its other files, relative to the folder above the list. */
async function writeSiteFiles() {
  const html = await readFile(new URL('console/index.html', BUILD), 'utf8')
  const list = async (/** @type {string} */ folder) =>
    (await readdir(new URL(folder, BUILD))).map((name) => `${folder}/${name}`)
  const parts = [...(await list('console/console')), ...(await list('site'))]
  await mkdir(new URL('shared', BUILD), { recursive: true })
  await writeFile(new URL('shared/site-files.json', BUILD), JSON.stringify({ html, files: parts }))
}

/**
 * Names the file of a module by the starts that load it: modules that the same starts need are in one file. By itself the
 * bundler also divides them by whatever else is loaded later, into three times as many files, each of which has to be
 * found, opened and read.
 *
 * @returns {(id: string, context: import('rolldown').ChunkingContext) => string | null}
 */
function nameByStarts() {
  /** @type {Map<string, string[]> | undefined} */
  let namesOf
  return (id, context) => {
    namesOf ??= listStarts(context)
    const names = namesOf.get(id) ?? []
    if (!names.some((name) => name in STARTS)) return null
    // Modules that the library loads later, and the handlers of MSW at once, are not worth a file of their own.
    const sooner = (/** @type {string} */ name) =>
      name === 'later-index' && names.includes('msw') ? 'index' : name
    const group = names.map(sooner).join('-')
    // Nor are modules that only the command line or the server needs at once: the command serves too.
    if (group === 'server' || group === 'command-line') {
      return id.endsWith(ENTRIES[group]) ? null : `${group}-serve`
    }
    return group in ENTRIES ? null : group
  }
}

/**
 * The starts that load each module at once, and those that load it later.
 *
 * @param {import('rolldown').ChunkingContext} context
 */
function listStarts(context) {
  /** @type {Map<string, string[]>} */
  const namesOf = new Map()
  for (const [start, file] of Object.entries(STARTS)) {
    const first = fileURLToPath(new URL(file, BUILD))
    const atOnce = reach(first, (id) => context.getModuleInfo(id)?.importedIds ?? [])
    for (const id of atOnce) namesOf.set(id, [...(namesOf.get(id) ?? []), start])
    if (!IMPORTED.includes(start)) continue
    const ever = reach(first, (id) => {
      const { importedIds = [], dynamicallyImportedIds = [] } = context.getModuleInfo(id) ?? {}
      return [...importedIds, ...dynamicallyImportedIds]
    })
    for (const id of ever) {
      if (!atOnce.has(id)) namesOf.set(id, [...(namesOf.get(id) ?? []), `later-${start}`])
    }
  }
  return namesOf
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
 * Names files of build/ by their content, if code refers to them by `new URL('../build/…', import.meta.url)`: a process
 * that runs on while the package is built again finds those of its own version.
 *
 * @returns {import('rolldown').Plugin}
 */
function withFilesByContent() {
  const reference = /new URL\('((?:\.\.\/)+build\/[^']+)', import\.meta\.url\)/g
  return {
    name: 'with-files-by-content',
    async transform(code, id) {
      let written = code
      for (const [whole, path = ''] of code.matchAll(reference)) {
        const file = resolve(dirname(id), path)
        const name = basename(file)
        const emitted = this.emitFile({ type: 'asset', name, source: await readFile(file) })
        written = written.replace(whole, `new URL(import.meta.ROLLDOWN_FILE_URL_${emitted})`)
      }
      return written === code ? null : written
    },
  }
}

/**
 * The modules that each file is bundled from, for tests of loading on demand.
 *
 * @param {readonly (import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]} chunks
 */
function listModules(chunks) {
  const ids = chunks.map((chunk) => [chunk.fileName, 'moduleIds' in chunk ? chunk.moduleIds : []])
  return Object.fromEntries(ids)
}

/**
 * The licences of the bundled packages, which must accompany every copy.
 *
 * @param {readonly (import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]} chunks
 */
async function readLicenses(chunks) {
  const modules = chunks.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : []))
  const folders = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  )
  const sorted = [...new Set(folders)].toSorted((one, other) => one.localeCompare(other))
  const texts = sorted.map((folder) => readLicense(folder))
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)
}

/** @param {string} folder */
async function readLicense(folder) {
  const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence file to go with the bundle.`)
  return `${name} ${version} (${license})\n\n${await readFile(`${folder}/${file}`, 'utf8')}`
}
