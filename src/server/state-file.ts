import { open, readFile, rename } from 'node:fs/promises'
import { resolve } from 'node:path'
import { withoutControls } from '../contract/describe.ts'
import { formatPath } from '../contract/validation.ts'
import { CommandError } from '../world/command-error.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import { OptionError } from '../world/option.ts'

/** A world that could not be written to its file. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
  readonly code = 'state_not_written'
}

/** The file that a world is kept in. */
export interface KeptState {
  file: string
  /** When the world was written that this one goes on from; null where it began from its fixtures. */
  of: string | null
  /**
   * Writes the world, and from then on after every change.
   *
   * @throws OptionError where it cannot be written.
   */
  begin: () => Promise<void>
  /** Done when every command so far is on the disk. @throws StateFileError */
  settled: () => Promise<void>
  /** Writes the world a last time, and no more. @throws StateFileError */
  close: () => Promise<void>
}

/**
 * Has a world go on from a file, where there is one, to be kept there: after every command, after requests
 * within seconds, and when it is closed. Nothing is written before it begins.
 *
 * @throws OptionError for a file that is no state of this release, or cannot be read; it is left as it is.
 */
export async function keepState(world: World, file: string): Promise<KeptState> {
  const of = await restoreFrom(world, file)
  const writer = new StateWriter(world, file)
  return {
    file,
    of,
    begin: () => writer.begin(),
    settled: () => writer.settled(),
    close: () => writer.close(),
  }
}

/** When the state was written; null where there is none. */
async function restoreFrom(world: World, file: string): Promise<string | null> {
  const text = await readText(file)
  if (text === undefined) return null
  const snapshot = parseJson(file, text) as Snapshot
  try {
    await world.command({ type: 'snapshot.restore', snapshot })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw unusable(file, toSentence(error), error)
  }
  return snapshot.taken_at
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
    throw unusable(file, 'This is not a whole state, for it is not JSON.', error)
  }
}

function unusable(file: string, sentence: string, cause: unknown): OptionError {
  return new OptionError(
    `${file}: ${withoutControls(sentence)} Move the file away to begin from the fixtures; it is left as it is.`,
    { cause },
  )
}

/** The first of its problems. */
function toSentence({ problems }: CommandError): string {
  const [first, ...more] = problems
  if (!first) return 'This is not a state.'
  const path = formatPath(first.path.slice(1))
  const place = path === '' || path === 'version' ? '' : `${path}: `
  const rest = more.length > 0 ? ` (That is one of ${problems.length} problems.)` : ''
  return `${place}${first.message}${rest}`
}

/** How long requests, which change counters alone, may wait to be written. */
const REQUESTS_WAIT_MS = 2000

/** Taken at import, so that fake timers of a test do not hold up what is written. */
const { setTimeout, clearTimeout } = globalThis

/** Bearer values are for the owner's eyes. */
const OWNER_ONLY = 0o600

/** Writes one state after the other: whoever asks while one is under way shares the next. */
class StateWriter {
  readonly #world: World
  readonly #file: string
  /** The file as it was named at the start, wherever the process goes. */
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

  /** Done when what has been asked for is written. */
  settled(): Promise<void> {
    return this.#last
  }

  close(): Promise<void> {
    this.#unsubscribe?.()
    this.#closing ??= this.#save()
    return this.#closing
  }

  #save(): Promise<void> {
    this.#next ??= this.#follow(this.#last)
    this.#last = this.#next
    return this.#next
  }

  #follow(last: Promise<void>): Promise<void> {
    const write = last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        clearTimeout(this.#timer)
        this.#timer = undefined
        return this.#write()
      })
    // A failure is told to whoever waits for it; where nobody does, the next write is to do better.
    write.catch(() => undefined)
    return write
  }

  /** Beside the file and then in its place, so that there is a whole one at any moment. */
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
  ENOTDIR: 'Its path leads through a file. Write one through folders.',
  EISDIR: 'It is a folder. Name a file in it.',
  EACCES: 'It may not be read or written. Check its permissions and those of its folder.',
  EPERM: 'It may not be read or written. Check its permissions and those of its folder.',
  EROFS: 'Its disk can only be read. Choose another folder.',
  ENOSPC: 'Its disk is full. Make room on it.',
  EBUSY: 'It is mounted by itself. Mount its folder instead.',
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function toMessage(error: unknown): string {
  return withoutControls(error instanceof Error ? error.message : String(error))
}
