import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = new URL('../', import.meta.url)
const CODE = new URL('node_modules/.cache/seo-sandbox/', ROOT)

/**
 * Imports a module in TypeScript, which Node 20 cannot do itself.
 *
 * @param {string} name
 */
export async function importBundled(name) {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(name, ROOT)),
    // Packages, and the texts of a locale, which parsing does not need.
    external: /^(?:[^./]|\.\/[a-z]{2}\.ts$)/,
    platform: 'node',
  })
  const file = fileURLToPath(new URL(name.replace(/^.*\/(.*)\.ts$/, '$1.mjs'), CODE))
  await bundle.write({ file, codeSplitting: false })
  await bundle.close()
  return import(pathToFileURL(file).href)
}
