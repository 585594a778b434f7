import { readFile } from 'node:fs/promises'
import { codeOf } from './file-errors.ts'

/**
 * Reads a file of the package. Code names it by where the build writes it; the bundler replaces that with a name that has
 * the hash of its content (`scripts/bundle.js`).
 *
 * @throws what importing a module throws that is not there
 */
export async function readPart(part: URL): Promise<Buffer> {
  try {
    return await readFile(part)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    const missing = new Error(`Cannot find ${part.pathname}`, { cause: error })
    throw Object.assign(missing, { code: 'ERR_MODULE_NOT_FOUND' })
  }
}
