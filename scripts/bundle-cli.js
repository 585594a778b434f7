import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Bundles dist/cli and its imports into a few files, dist/command-line: Node takes longer to find and read
 * hundreds of modules than to serve a request (docs/decisions/0014). What is loaded on demand stays a separate
 * package or chunk.
 */

/** Packages that stay outside the bundle: used by users' own code, large, or seldom needed. */
const OUTSIDE =
  /^(?:@faker-js\/faker|@remix-run\/node-fetch-server|chokidar|cors|express|msw)(?:\/|$)/

/** The texts of scenarios and of the default world, which the library has as the same modules. */
const SHARED = /\/fixtures\/(?:default-seed|scenarios\/(?!index\.)[\w-]+)\.js$/

const DIST = new URL('../dist/', import.meta.url)
const FOLDER = new URL('command-line/', DIST)

const bundle = await rolldown({
  input: { main: fileURLToPath(new URL('cli/main.js', DIST)) },
  external: [OUTSIDE, SHARED],
  platform: 'node',
})
const { output } = await bundle.write({
  dir: fileURLToPath(FOLDER),
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()
await rm(new URL('cli/', DIST), { recursive: true })
await writeFile(new URL('LICENSES.txt', FOLDER), await readLicenses(output))

/**
 * The licences of the bundled packages, which must accompany every copy.
 *
 * @param {import('rolldown').RolldownOutput['output']} chunks
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
