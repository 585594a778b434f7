import { readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { withoutControls } from '../../contract/describe.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import { OptionError } from '../../world/option-error.ts'
import { createFolder } from '../write-reports.ts'

/** Says that a folder may be emptied. */
export const MARKER = '.seo-sandbox-rehearsal'

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
    await writeFile(join(path, MARKER), MARKED)
    return path
  } catch (error) {
    if (error instanceof OptionError || codeOf(error) === '') throw error
    throw new OptionError(`${source} ${shown}: ${toFileReason(error)}`, { cause: error })
  }
}

/** Removes all that is in a folder but its marker. */
export async function emptyFolder(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (name !== MARKER) await rm(join(path, name), { recursive: true, force: true })
  }
}
