import { basename, dirname, resolve } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { isFixtureName } from '../fixtures/load-fixtures.ts'
import { OptionError } from '../world/options/option-error.ts'

/** A watch on fixture files and folders. */
export interface FixtureWatch {
  /** As given by the user. */
  paths: readonly string[]
  /**
   * Sets the function to call after changes: once for several at a time, again for changes during the call,
   * and immediately if there were changes since the watch started.
   */
  onChange: (reload: () => Promise<void>) => void
  /** Stops watching. A reload in progress is finished. */
  close: () => Promise<void>
}

/**
 * Watches fixture files and folders, even while they do not exist. Every change after this resolves is
 * reported, so files read later miss none.
 *
 * @throws OptionError if the system does not permit it.
 */
export async function watchFixtures(paths: readonly string[]): Promise<FixtureWatch> {
  const watcher = await openWatcher(paths.map((path) => resolve(path)))
  const changes = new Changes()
  watcher.on('all', () => changes.add())
  watcher.on('error', () => changes.add())
  return {
    paths,
    onChange: (reload) => changes.reloadWith(reload),
    close: async () => {
      changes.stop()
      await watcher.close()
    },
  }
}

/** Watches the parent folders, because many editors save by replacing the file with a new one. */
async function openWatcher(targets: readonly string[]): Promise<FSWatcher> {
  const { watch } = await import('chokidar')
  const roots = new Set(targets.map((path) => dirname(path)))
  const isWatched = (path: string) =>
    roots.has(path) ||
    targets.includes(path) ||
    (targets.includes(dirname(path)) && isFixtureName(basename(path)))
  const watcher = watch([...roots], {
    ignored: (path) => !isWatched(resolve(path)),
    ignoreInitial: true,
  })
  await new Promise<void>((ready, reject) => {
    watcher.once('ready', ready).once('error', reject)
  }).catch(async (error: unknown) => {
    await watcher.close()
    throw unwatchable(error)
  })
  return watcher
}

function unwatchable(error: unknown): OptionError {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return new OptionError(
    `--watch: The fixtures cannot be watched${code}. Check the permissions of their folders, or leave --watch out.`,
    { cause: error },
  )
}

/** chokidar reports changes of a file at most every 50 ms, so a file read earlier may lack the next change. */
const QUIET_MS = 100

/** Debounces changes, and runs one reload at a time. */
class Changes {
  #reload: (() => Promise<void>) | undefined
  #quiet: NodeJS.Timeout | undefined
  #isPending = false
  #isReloading = false

  add(): void {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.#isPending = true
      void this.#catchUp()
    }, QUIET_MS)
  }

  reloadWith(reload: () => Promise<void>): void {
    this.#reload = reload
    void this.#catchUp()
  }

  stop(): void {
    clearTimeout(this.#quiet)
    this.#isPending = false
  }

  async #catchUp(): Promise<void> {
    if (!this.#reload || this.#isReloading) return
    this.#isReloading = true
    while (this.#isPending) {
      this.#isPending = false
      await this.#reload()
    }
    this.#isReloading = false
  }
}
