import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Copies into build/dist/types the declarations in build/ that the package's exports reach. Those of bundled packages go
 * with them, so that users need not install a package for its types alone.
 */

const BUILD = fileURLToPath(new URL('../build', import.meta.url))
const TYPES = fileURLToPath(new URL('../build/dist/types', import.meta.url))

const ENTRIES = ['index', 'data', 'matchers', 'msw', 'rehearse', 'server', 'vitest']

/** The declarations of the bundled packages, and of those that they import. */
const PACKAGES = new Map([
  ['zod', 'index.d.ts'],
  ['@msw/data', 'build/index.d.mts'],
  ['@standard-schema/spec', 'dist/index.d.ts'],
  // The package's other declarations import files that it does not have.
  ['mutative', 'dist/interface.d.ts'],
  ['rettime', 'build/index.d.mts'],
])

/** The module of an import, whether a statement or within a type. */
const MODULE = new RegExp(
  String.raw`(?<=\bfrom |\bimport\()(["'])(\.[^"']*|(?:${[...PACKAGES.keys()].join('|')})(?:/[^"']*)?)\1`,
  'g',
)

const reached = new Set(ENTRIES.map((name) => join(BUILD, `${name}.d.ts`)))
for (const file of reached) {
  const text = await readFile(file, 'utf8')
  const copy = toCopy(file)
  const written = text.replaceAll(MODULE, (_match, _quote, /** @type {string} */ specifier) => {
    const target = resolve(file, specifier)
    reached.add(target)
    const path = relative(dirname(copy), toCopy(target)).replaceAll('\\', '/')
    const module = path.replace(/\.d\.(m?)ts$/, '.$1js')
    return JSON.stringify(`./${module}`.replace(/^\.\/(?=\.\.)/, ''))
  })
  await mkdir(dirname(copy), { recursive: true })
  await writeFile(copy, written)
}

/**
 * The declarations of the module that a file imports.
 *
 * @param {string} file
 * @param {string} specifier
 */
function resolve(file, specifier) {
  if (!specifier.startsWith('.')) return declarationsOf(specifier)
  const path = join(dirname(file), specifier)
  const base = path.replace(/\.(m?)[jt]s$/, '')
  const candidates = ['.d.ts', '.d.mts', '/index.d.ts'].map((end) => base + end)
  const found = candidates.find((candidate) => existsSync(candidate))
  if (found) return found
  throw new Error(`${file} imports ${specifier}, which has no declarations.`)
}

/**
 * The declarations of a package, or of a folder in one.
 *
 * @param {string} specifier
 */
function declarationsOf(specifier) {
  for (const [name, main] of PACKAGES) {
    if (specifier === name) return join(folderOf(name), main)
    if (specifier.startsWith(`${name}/`)) {
      return join(folderOf(name), specifier.slice(name.length), 'index.d.ts')
    }
  }
  throw new Error(`${specifier} is not in the bundle.`)
}

/** @param {string} name */
function folderOf(name) {
  return fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))
}

/** @param {string} file */
function toCopy(file) {
  for (const name of PACKAGES.keys()) {
    const folder = folderOf(name)
    if (file.startsWith(folder)) return join(TYPES, name, relative(folder, file))
  }
  return join(TYPES, relative(BUILD, file))
}
