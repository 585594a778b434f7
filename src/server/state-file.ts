import { open, readFile, rename } from 'node:fs/promises'
import { resolve } from 'node:path'
import { withoutControls } from '../contract/describe.ts'
import { formatPath } from '../contract/validation.ts'
import { CommandError } from '../world/command-error.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import { OptionError } from '../world/parse-option.ts'

/** The world could not be written to its file. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
  readonly code = 'state_not_written'
}

/** The state file of a world. */
export interface KeptState {
  file: string
  /** When the state that the world continues from was written; null where it began from its fixtures. */
  of: string | null
  /** What was repaired of a state that an older release had spoilt, a sentence each. */
  repairs: readonly string[]
  /**
   * Writes the world, and from then on after every change.
   *
   * @throws OptionError where it cannot be written.
   */
  begin: () => Promise<void>
  /** Resolves when every command so far is on disk. @throws StateFileError */
  settled: () => Promise<void>
  /** Writes the world for the last time. @throws StateFileError */
  close: () => Promise<void>
}

/**
 * Restores a world from a file, where it exists, and keeps the state there: written after every command,
 * within seconds of a request, and on close. Nothing is written before `begin`.
 *
 * @throws OptionError for a file that is not a state of this release, or cannot be read; it is not changed.
 */
export async function keepState(world: World, file: string): Promise<KeptState> {
  const { of, repairs } = await restoreFrom(world, file)
  const writer = new StateWriter(world, file)
  return {
    file,
    of,
    repairs,
    begin: () => writer.begin(),
    settled: () => writer.settled(),
    close: () => writer.close(),
  }
}

/** Restores the state, if there is one. */
async function restoreFrom(world: World, file: string): Promise<Pick<KeptState, 'of' | 'repairs'>> {
  const text = await readText(file)
  if (text === undefined) return { of: null, repairs: [] }
  const snapshot = parseJson(file, text) as Snapshot
  try {
    const { repairs = [] } = await world.command({ type: 'snapshot.restore', snapshot })
    return { of: snapshot.taken_at, repairs }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw unusable(file, toSentence(error), error)
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    throw new OptionError(
      `${file}: ${REASONS[code] ?? 'It cannot be read. Check its permissions.'}`,
      {
        cause: error,
      },
    )
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unusable(file, 'This is not a complete state, because it is not JSON.', error)
  }
}

function unusable(file: string, sentence: string, cause: unknown): OptionError {
  return new OptionError(
    `${file}: ${withoutControls(sentence)} Move the file away to begin from the fixtures; it was not changed.`,
    { cause },
  )
}

/** The first of its problems. */
function toSentence({ problems }: CommandError): string {
  const [first, ...more] = problems
  if (!first) return 'This is not a state.'
  const path = formatPath(first.path.slice(1))
  const place = path === '' || path === 'version' ? '' : `${path}: `
  const rest = more.length > 0 ? ` (This is one of ${problems.length} problems.)` : ''
  return `${place}${first.message}${rest}`
}

/** How long requests, which only change counters, may wait to be written. */
const REQUESTS_WAIT_MS = 2000

/** Captured at import, so that fake timers of a test do not delay writing. */
const { setTimeout, clearTimeout } = globalThis

/** The file contains bearer values, which only its owner may read. */
const OWNER_ONLY = 0o600

/** Writes one state at a time; all saves that are requested during a write share the next one. */
class StateWriter {
  readonly #world: World
  readonly #file: string
  /** Absolute, because the working directory may change. */
  readonly #path: string
  #unsubscribe: (() => void) | undefined
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(world: World, file: string) {
    this.#world = world
    this.#file = file
    this.#path = resolve(file)
  }

  async begin(): Promise<void> {
    this.#unsubscribe = this.#world.subscribe({
      onCommand: () => void this.#save(),
      onRequest: () => {
        this.#timer ??= setTimeout(() => void this.#save(), REQUESTS_WAIT_MS).unref()
      },
    })
    try {
      await this.#save()
    } catch (error) {
      this.#unsubscribe()
      throw error instanceof StateFileError ? new OptionError(error.message) : error
    }
  }

  /** Resolves when all saves requested so far are written. */
  settled(): Promise<void> {
    return this.#last
  }

  close(): Promise<void> {
    this.#unsubscribe?.()
    this.#closing ??= this.#save()
    return this.#closing
  }

  #save(): Promise<void> {
    this.#next ??= this.#writeAfter(this.#last)
    this.#last = this.#next
    return this.#next
  }

  #writeAfter(last: Promise<void>): Promise<void> {
    const write = last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        clearTimeout(this.#timer)
        this.#timer = undefined
        return this.#write()
      })
    // A failure reaches those that await this write; it must not be an unhandled rejection otherwise.
    write.catch(() => undefined)
    return write
  }

  /** Writes a temporary file and renames it, so that the file is complete at any moment. */
  async #write(): Promise<void> {
    const temporary = `${this.#path}.tmp`
    try {
      const text = await this.#world.snapshotText()
      const handle = await open(temporary, 'w', OWNER_ONLY)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporary, this.#path)
    } catch (error) {
      const reason =
        REASONS[codeOf(error)] ?? `It cannot be written: ${toMessage(error).replace(/\.$/, '')}.`
      throw new StateFileError(`${this.#file}: ${reason}`, { cause: error })
    }
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'Its folder does not exist. Create it.',
  ENOTDIR: 'A part of its path is a file. Choose a path through folders.',
  EISDIR: 'It is a folder. Name a file in it.',
  EACCES: 'Access to it is denied. Check its permissions and those of its folder.',
  EPERM: 'Access to it is denied. Check its permissions and those of its folder.',
  EROFS: 'Its disk is read-only. Choose another folder.',
  ENOSPC: 'Its disk is full. Free some space.',
  EBUSY: 'It is a mount point. Mount its folder instead.',
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function toMessage(error: unknown): string {
  return withoutControls(error instanceof Error ? error.message : String(error))
}
