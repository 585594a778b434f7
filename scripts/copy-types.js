import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Copies into build/dist/types the declarations in build/ that the package's exports reach. Those of zod go with them,
 * because its code is in the bundle: installing its 8 MB for types alone would be a waste.
 */

const BUILD = fileURLToPath(new URL('../build', import.meta.url))
const ZOD = fileURLToPath(new URL('../node_modules/zod', import.meta.url))
const TYPES = fileURLToPath(new URL('../build/dist/types', import.meta.url))

const ENTRIES = ['index', 'data', 'matchers', 'msw', 'rehearse', 'server', 'vitest']

/** The module of an import, whether a statement or within a type. */
const MODULE = /(?<=\bfrom |\bimport\()(["'])(\.[^"']*|zod(?:\/[^"']*)?)\1/g

const reached = new Set(ENTRIES.map((name) => join(BUILD, `${name}.d.ts`)))
for (const file of reached) {
  const text = await readFile(file, 'utf8')
  const copy = toCopy(file)
  const written = text.replaceAll(MODULE, (_match, _quote, /** @type {string} */ specifier) => {
    const target = resolve(file, specifier)
    reached.add(target)
    const path = relative(dirname(copy), toCopy(target)).replaceAll('\\', '/')
    return JSON.stringify(`./${path}`.replace(/^\.\/(?=\.\.)/, '').replace(/\.d\.ts$/, '.js'))
  })
  await mkdir(dirname(copy), { recursive: true })
  await writeFile(copy, written)
}

/**
 * The declarations that a module of a file is declared by.
 *
 * @param {string} file
 * @param {string} specifier
 */
function resolve(file, specifier) {
  if (specifier.startsWith('.')) {
    return join(dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts')
  }
  return join(ZOD, specifier.slice('zod'.length), 'index.d.ts')
}

/** @param {string} file */
function toCopy(file) {
  return file.startsWith(ZOD)
    ? join(TYPES, 'zod', relative(ZOD, file))
    : join(TYPES, relative(BUILD, file))
}
