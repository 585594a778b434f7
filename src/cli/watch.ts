import { basename, dirname, resolve } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { isFixtureName } from '../fixtures/load-fixtures.ts'
import { OptionError } from '../world/option.ts'

/** Fixtures on disk that are watched. */
export interface FixtureWatch {
  /** As they were named. */
  paths: readonly string[]
  /**
   * Says what to do after changes: once for several at a time, once more for those that come meanwhile,
   * and at once for those since the watch began.
   */
  onChange: (reload: () => Promise<void>) => void
  /** Watches no longer. A reload under way is finished. */
  close: () => Promise<void>
}

/**
 * Watches fixture files and folders, also while they are gone. What is read later than this has every
 * change that is not going to be told.
 *
 * @throws OptionError where the system does not let them be watched.
 */
export async function watchFixtures(paths: readonly string[]): Promise<FixtureWatch> {
  const watcher = await openWatcher(paths.map((path) => resolve(path)))
  const changes = new Changes()
  watcher.on('all', () => changes.add())
  watcher.on('error', () => changes.add())
  return {
    paths,
    onChange: (reload) => changes.follow(reload),
    close: async () => {
      changes.stop()
      await watcher.close()
    },
  }
}

/** Through the folders that hold them, since a file that an editor replaces is another one with the same name. */
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

/** chokidar tells a file's changes every 50 ms at most: what is read sooner after one may lack the next. */
const QUIET_MS = 100

/** Gathers changes until there is quiet, and has them followed by one reload at a time. */
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

  follow(reload: () => Promise<void>): void {
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
