import type { World } from '../world/world.ts'
import { OptionError } from '../world/option-error.ts'
import { codeOf, isOutOfSpace, toFileReason } from './file-errors.ts'
import type { FileError } from './file-errors.ts'
import { LockHeldError, lockFile } from './state-lock.ts'
import type { StateLock } from './state-lock.ts'
import { restoreFile } from './restore-file.ts'
import { followLinks, removeLeftovers, replaceFile } from './replace-file.ts'
import { toChunks } from './text-chunks.ts'

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
  /**
   * Writes the world, and from then on after every change. A full disk is reported where the world continues from the
   * file, which is as good as before.
   *
   * @throws OptionError where it cannot be written otherwise.
   */
  begin: () => Promise<void>
  /** Resolves when every command so far is on disk. @throws StateFileError */
  settled: () => Promise<void>
  /** Writes the world for the last time, and lets others use the file. @throws StateFileError */
  close: () => Promise<void>
  /** Lets others use the file, without writing the world. */
  release: () => Promise<void>
}

interface KeepOptions {
  /** Told of an error that no command waits for. */
  onError?: ((error: StateFileError) => void) | undefined
}

/**
 * Restores a world from a file, where it exists, and keeps the state there: written after every command,
 * within seconds of a request, and on close. Nothing is written before `begin`. No other server can use the file until
 * `close` or `release`.
 *
 * @throws OptionError for a file that another server uses, is not a state of this release, or cannot be read; it is
 *   not changed.
 */
export async function keepState(
  world: World,
  file: string,
  { onError }: KeepOptions = {},
): Promise<KeptState> {
  const path = await followLinks(file).catch((error: unknown) => {
    throw toOptionError(file, error, 'read')
  })
  const lock = await lockFor(file, path, onError)
  try {
    const of = await restoreFrom(world, file, path)
    await removeLeftovers(path)
    const writer = new StateWriter({ world, file, path, lock, isNew: of === null, onError })
    return {
      file,
      of,
      begin: () => writer.begin(),
      settled: () => writer.settled(),
      close: () => writer.close().finally(() => lock.release()),
      release: () => lock.release(),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function lockFor(
  file: string,
  path: string,
  onError: KeepOptions['onError'],
): Promise<StateLock> {
  const onLost = (error: FileError) => onError?.(toStateFileError(file, error))
  try {
    return await lockFile(path, onLost)
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw toOptionError(file, error, 'written')
    throw new OptionError(`${file}: ${error.message}`, { cause: error })
  }
}

/** Restores the state, if there is one, and returns when it was written. */
async function restoreFrom(world: World, file: string, path: string): Promise<string | null> {
  try {
    return await restoreFile(world, { file, path, noun: 'state', remedy: REMEDY })
  } catch (error) {
    if (error instanceof OptionError && codeOf(error.cause) === 'ENOENT') return null
    throw error
  }
}

const REMEDY = 'Move the file away to begin from the fixtures; it was not changed.'

function toOptionError(file: string, error: unknown, attempt: 'read' | 'written'): OptionError {
  return new OptionError(`${file}: ${toFileReason(error, attempt)}`, { cause: error })
}

/** How long requests, which only change counters, may wait to be written. */
const REQUESTS_WAIT_MS = 2000

/** Captured at import, so that fake timers of a test do not delay writing. */
const { setTimeout, clearTimeout } = globalThis

interface StateWriterOptions extends KeepOptions {
  world: World
  /** As the user calls it. */
  file: string
  /** Absolute, because the working directory may change, and without symbolic links. */
  path: string
  lock: StateLock
  /** Whether there is no earlier state in the file. */
  isNew: boolean
}

/** Writes one state at a time; all saves that are requested during a write share the next one. */
class StateWriter {
  readonly #options: StateWriterOptions
  #unsubscribe: (() => void) | undefined
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(options: StateWriterOptions) {
    this.#options = options
  }

  async begin(): Promise<void> {
    this.#unsubscribe = this.#options.world.subscribe({
      onCommand: () => void this.#save(),
      onRequest: () => {
        this.#timer ??= setTimeout(() => void this.#save(), REQUESTS_WAIT_MS).unref()
      },
    })
    try {
      await this.#save()
    } catch (error) {
      if (!(error instanceof StateFileError)) throw error
      if (!this.#options.isNew && isOutOfSpace(error.cause)) {
        this.#options.onError?.(error)
        return
      }
      this.#unsubscribe()
      clearTimeout(this.#timer)
      throw new OptionError(error.message, { cause: error })
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

  async #write(): Promise<void> {
    const { world, file, path, lock } = this.#options
    try {
      lock.requireKept()
      const text = await toChunks((write) => world.writeSnapshot(write))
      await replaceFile(path, text, () => lock.check())
    } catch (error) {
      throw toStateFileError(file, error)
    }
  }
}

function toStateFileError(file: string, error: unknown): StateFileError {
  return new StateFileError(`${file}: ${toFileReason(error)}`, { cause: error })
}
