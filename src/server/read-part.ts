import { readFile } from 'node:fs/promises'
import { codeOf } from './file-errors.ts'

/**
 * Reads a file of the package. The code has the path where the build writes it; the bundler replaces that with a name that
 * includes the hash of its content (`scripts/bundle.js`).
 *
 * @throws what importing a missing module throws
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
