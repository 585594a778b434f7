import { readFile } from 'node:fs/promises'
import { withoutControls } from '../contract/text.ts'
import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import { formatPath } from '../contract/validation.ts'
import { CommandError } from '../world/command-error.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import { toReadReason } from './file-errors.ts'

interface FileOptions {
  file: string
  /** The path to read; `file` if omitted. Messages always name `file`. */
  path?: string
  /** Noun for the file in messages, such as `state`. */
  noun: string
  remedy: string
}

/**
 * Restores a world from the snapshot in a file, and returns the time of the snapshot.
 *
 * @throws OptionError for a file that does not exist, cannot be read, or has no snapshot of this release
 */
export async function restoreFile(world: World, options: FileOptions): Promise<string> {
  const snapshot = parseJson(await readText(options), options) as Snapshot
  try {
    await world.apply({ type: 'snapshot.restore', snapshot })
    return snapshot.taken_at
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw unusable(options, toSentence(error, options), error)
  }
}

async function readText({ file, path = file }: FileOptions): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new OptionError(withoutControls(`${file}: ${toReadReason(error)}`), { cause: error })
  }
}

function parseJson(text: string, options: FileOptions): unknown {
  const { file, noun } = options
  const deep = findTooDeep(text)
  if (deep) {
    const place = { ...options, file: `${file}:${deep.line}:${deep.column}` }
    throw unusable(place, `This is not a ${noun}: it is ${NESTED_TOO_DEEP}.`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unusable(options, `This is not a complete ${noun}, because it is not JSON.`, error)
  }
}

function unusable({ file, remedy }: FileOptions, sentence: string, cause?: unknown): OptionError {
  return new OptionError(`${withoutControls(`${file}: ${sentence}`)} ${remedy}`, { cause })
}

/** Returns the first problem as a sentence, with the number of problems if there are several. */
function toSentence({ problems }: CommandError, { noun }: FileOptions): string {
  const [first, ...more] = problems
  if (!first) return `This is not a ${noun}.`
  const path = formatPath(first.path.slice(1))
  const place = path === '' || path === 'version' ? '' : `${path}: `
  const rest = more.length > 0 ? ` (This is one of ${problems.length} problems.)` : ''
  return `${place}${first.message}${rest}`
}
