import { isAbsolute } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = new URL('../', import.meta.url)
const CODE = new URL('node_modules/.cache/seo-sandbox/', ROOT)

/**
 * Imports a module in TypeScript, which Node 20 cannot import itself.
 *
 * @param {string} name
 */
export async function importBundled(name) {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(name, ROOT)),
    external: isExternal,
    platform: 'node',
    checks: { bundlerTimings: false },
  })
  const file = fileURLToPath(new URL(name.replace(/^.*\/(.*)\.ts$/, '$1.mjs'), CODE))
  await bundle.write({ file, codeSplitting: false })
  await bundle.close()
  return import(pathToFileURL(file).href)
}

/**
 * True for packages, and for the texts of a locale, which parsing does not need.
 *
 * @param {string} id
 */
function isExternal(id) {
  return /^\.\/[a-z]{2}\.ts$/.test(id) || !(id.startsWith('.') || isAbsolute(id))
}
