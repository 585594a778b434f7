import { setTimeout, clearTimeout } from '../contract/timers.ts'
import type { World } from '../world/world.ts'
import { OptionError } from '../world/options/option-error.ts'
import { errorCodeOf, isOutOfSpace, toFileReason } from './file-errors.ts'
import { lockFile } from './state-lock.ts'
import { restoreFile } from './restore-file.ts'
import { followLinks, removeLeftovers, replaceFile } from './replace-file.ts'
import { StateFileError } from './server-error.ts'
import { toChunks } from '../contract/json-pieces.ts'

/**
 * Restores a world from a file, if the file exists, and saves the world there: at `begin`, after every command, within seconds of a
 * request, and on `close`. No other server can use the file until `close` or `release`.
 *
 * @param onError Receives the error of the first save if it fails for lack of space and the world continues from the file.
 * @throws OptionError for a file that another server uses, that is not a state of this release, or that cannot be read or locked;
 * the file is not changed
 */
export async function keepState(
  world: World,
  file: string,
  onError: KeptStateOptions['onError'],
): Promise<KeptState> {
  const refuse = (attempt: 'read' | 'written') => (error: unknown) => {
    throw new OptionError(`${file}: ${toFileReason(error, attempt)}`, { cause: error })
  }
  const path = await followLinks(file).catch(refuse('read'))
  const release = await lockFile(path).catch(refuse('written'))
  try {
    const of = await restoreFrom(world, file, path)
    await removeLeftovers(path)
    return new KeptState({ world, file, path, release, of, onError })
  } catch (error) {
    await release()
    throw error
  }
}

/** Restores the state. Returns the time when it was written; null if the file does not exist. */
async function restoreFrom(world: World, file: string, path: string): Promise<string | null> {
  try {
    return await restoreFile(world, { file, path, noun: 'state', remedy: REMEDY })
  } catch (error) {
    if (error instanceof OptionError && errorCodeOf(error.cause) === 'ENOENT') return null
    throw error
  }
}

const REMEDY = 'Move the file away to begin from the fixtures; it was not changed.'

/** Maximum delay of a save after a request. Unlike commands, requests do not wait until they are saved. */
const REQUESTS_WAIT_MS = 2000

interface KeptStateOptions {
  world: World
  file: string
  /** The path of `file` without symbolic links; absolute, because the working directory may change. */
  path: string
  release: () => Promise<void>
  of: string | null
  onError: (error: StateFileError) => void
}

/** The state file of a world. At most one write is in progress; all saves requested during it are combined into the next one. */
export class KeptState {
  readonly file: string
  /** Time when the restored state was written; null if the file did not exist. */
  readonly of: string | null
  readonly #options: KeptStateOptions
  #unsubscribe = (): void => undefined
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #problem: string | undefined

  constructor(options: KeptStateOptions) {
    this.file = options.file
    this.of = options.of
    this.#options = options
  }

  /**
   * Writes the world now, and from then on after every change. If the world continues from the file, lack of space is only
   * reported, because the file still has that state.
   *
   * @throws OptionError if the world cannot be written for any other reason
   */
  async begin(): Promise<void> {
    const { world, of, onError } = this.#options
    this.#unsubscribe = world.subscribe({
      onCommand: () => void this.#save(),
      onRequest: () => {
        this.#timer ??= setTimeout(() => void this.#save(), REQUESTS_WAIT_MS).unref()
      },
    })
    try {
      await this.#save()
    } catch (error) {
      if (!(error instanceof StateFileError)) throw error
      if (of !== null && isOutOfSpace(error.cause)) {
        onError(error)
        return
      }
      this.#unsubscribe()
      clearTimeout(this.#timer)
      throw new OptionError(error.message, { cause: error })
    }
  }

  /** The reason why the last write of the world failed; undefined if it succeeded, or if nothing was written yet. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Resolves when the results of all commands up to now are on disk. @throws StateFileError */
  settled(): Promise<void> {
    return this.#last
  }

  /** Writes the world for the last time, and releases the file. @throws StateFileError */
  close(): Promise<void> {
    this.#unsubscribe()
    this.#closing ??= this.#save().finally(() => this.release())
    return this.#closing
  }

  /** Releases the file without writing the world. */
  release(): Promise<void> {
    return this.#options.release()
  }

  #save(): Promise<void> {
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        clearTimeout(this.#timer)
        this.#timer = undefined
        return this.#write()
      })
    this.#last = this.#next
    // Prevents an unhandled rejection if no caller awaits the write.
    this.#last.catch(() => undefined)
    return this.#last
  }

  async #write(): Promise<void> {
    const { world, file, path } = this.#options
    try {
      const text = await toChunks((write) => world.writeSnapshot(write))
      await replaceFile(path, text)
      this.#problem = undefined
    } catch (error) {
      const refused = toStateFileError(file, error)
      this.#problem = refused.message
      throw refused
    }
  }
}

function toStateFileError(file: string, error: unknown): StateFileError {
  return new StateFileError(`${file}: ${toFileReason(error)}`, { cause: error })
}
