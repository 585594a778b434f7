import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Prints the path of the program of seo-sandbox that is installed in a folder or above it; nothing if there is none. */

const [, , folder = '.'] = process.argv
const require = createRequire(join(folder, 'index.js'))
try {
  const path = require.resolve('seo-sandbox/package.json')
  const { bin } = /** @type {{ bin: Record<string, string> }} */ (require(path))
  process.stdout.write(join(dirname(path), bin['seo-sandbox'] ?? ''))
} catch (error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error)
  if (code !== 'MODULE_NOT_FOUND') throw error
}
