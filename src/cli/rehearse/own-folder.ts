import { chmod, lstat, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { withoutControls } from '../../contract/describe.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { createFolder } from '../write-reports.ts'

/** Sessions and output may contain data of customers. */
const OWNER_ONLY = 0o700

/** Says that a folder may be emptied. */
const MARKER = '.seo-sandbox-rehearsal'

const MARKED = 'seo-sandbox rehearse empties this folder each time it begins.\n'

/**
 * Empties a folder that is empty or was made by an earlier rehearsal, or creates it, and returns its whole path.
 *
 * @param source what named it, for the message: `--client-state`
 * @throws OptionError for any other folder, whose files are somebody's, and where it cannot be used
 */
export async function openOwnFolder(folder: string, source: string): Promise<string> {
  const path = resolve(folder)
  const shown = withoutControls(folder)
  try {
    await createFolder(path)
    const entries = await readdir(path)
    if (entries.length > 0 && !entries.includes(MARKER)) {
      throw new OptionError(
        `${source} ${shown}: It has files that no rehearsal has made, and would be emptied. Name a new folder, or empty it yourself.`,
      )
    }
    await emptyFolder(path)
    await chmod(path, OWNER_ONLY)
    await markFolder(path)
    return path
  } catch (error) {
    if (error instanceof OptionError || codeOf(error) === '') throw error
    throw new OptionError(`${source} ${shown}: ${toFileReason(error)}`, { cause: error })
  }
}

/** Marks a folder as one that may be emptied, also again after the client has recreated it. */
export async function markFolder(path: string): Promise<void> {
  try {
    await writeFile(join(path, MARKER), MARKED, { flag: 'wx' })
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(codeOf(error))) throw error
  }
}

/** Removes a file or a folder, also one with folders that are read-only, as a cache may have. */
export async function removeWhole(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    await openUp(path)
    await rm(path, { recursive: true, force: true })
  }
}

/** Lets the owner change every folder within one. */
async function openUp(path: string): Promise<void> {
  const entry = await lstat(path)
  if (!entry.isDirectory()) return
  await chmod(path, entry.mode | 0o700)
  for (const name of await readdir(path)) await openUp(join(path, name))
}

/** Removes all that is in a folder but its marker. */
async function emptyFolder(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (name !== MARKER) await removeWhole(join(path, name))
  }
}
