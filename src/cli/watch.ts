import { access, constants, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { isFixtureName } from '../fixtures/load-fixtures.ts'
import { OptionError } from '../world/options/option-error.ts'

export interface FixtureWatch {
  /** Paths as the user wrote them. */
  paths: readonly string[]
  /**
   * Sets the function to call after changes. Simultaneous changes cause one call, and changes during a call cause
   * another. If there have been changes since the watch started, calls the function immediately.
   */
  onChange: (reload: () => Promise<void>) => void
  /** Stops watching. A reload in progress continues to its end. */
  close: () => Promise<void>
}

/**
 * Watches fixture files and folders, even while they do not exist. Reports every change after the promise resolves, so read
 * the files only then.
 *
 * @throws OptionError if the system does not permit watching.
 */
export async function watchFixtures(paths: readonly string[]): Promise<FixtureWatch> {
  const targets = paths.map((path) => resolve(path))
  const changes = new ReloadQueue()
  let following = Promise.resolve()
  const open = async () => {
    const opened = await openWatcher(targets)
    opened.on('all', () => changes.add())
    opened.on('error', () => changes.add())
    // Replacing a link changes no watched file: Kubernetes updates a mounted ConfigMap this way.
    opened.on('raw', (event) => {
      if (event === 'rename') following = following.then(followNewLinks)
    })
    return opened
  }
  let known = await realPathsOf(targets)
  let watcher = await open()
  await untilReady(watcher).catch(async (error: unknown) => {
    await watcher.close()
    throw unwatchable(error)
  })
  // A link may have been replaced while the watch opened.
  await followNewLinks()

  async function followNewLinks(): Promise<void> {
    const found = await realPathsOf(targets)
    if (found === known || changes.isStopped) return
    known = found
    // Closed first, because chokidar reuses watches of equal paths, even if a path now leads elsewhere.
    await watcher.close()
    watcher = await open()
    // The reload reports fixtures that cannot be read.
    await untilReady(watcher).catch(() => undefined)
    changes.add()
    await followNewLinks()
  }

  return {
    paths,
    onChange: (reload) => changes.reloadWith(reload),
    close: async () => {
      changes.stop()
      await following
      await watcher.close()
    },
  }
}

/**
 * Watches the folders that contain the files and the links to them, because many editors save by replacing a file with
 * a new one.
 */
async function openWatcher(targets: readonly string[]): Promise<FSWatcher> {
  const { watch } = await import('chokidar')
  const roots = new Set(targets.map((path) => dirname(path)))
  const links = new Set<string>()
  for (const path of await filesOf(targets)) await findLinks(path, links)
  for (const folder of new Set([...links].map((path) => dirname(path))))
    if (await isReadable(folder)) roots.add(folder)
  const isWatched = (path: string) =>
    roots.has(path) ||
    targets.includes(path) ||
    (targets.includes(dirname(path)) && isFixtureName(basename(path)))
  return watch([...roots], {
    ignored: (path) => !isWatched(resolve(path)),
    ignoreInitial: true,
  })
}

function untilReady(watcher: FSWatcher): Promise<void> {
  return new Promise((ready, reject) => {
    watcher.once('ready', ready).once('error', reject)
  })
}

/** Returns the targets, and the fixtures in target folders. Skips unreadable folders, which a reload reports. */
async function filesOf(targets: readonly string[]): Promise<string[]> {
  const lists = targets.map(async (target) => {
    const names = await readdir(target).catch(() => [])
    return [target, ...names.filter(isFixtureName).map((name) => join(target, name))]
  })
  return (await Promise.all(lists)).flat()
}

/** Adds to `links` the symbolic links along a path, and those along the paths of their targets. */
async function findLinks(path: string, links: Set<string>): Promise<void> {
  const parent = dirname(path)
  if (parent === path || links.has(path)) return
  await findLinks(parent, links)
  const target = await readlink(path).catch(() => undefined)
  if (target === undefined) return
  links.add(path)
  await findLinks(resolve(await realpath(parent), target), links)
}

/** Returns the real paths of the targets and their fixtures, as lines; an empty line for a path that does not exist. */
async function realPathsOf(targets: readonly string[]): Promise<string> {
  const files = await filesOf(targets)
  return (await Promise.all(files.map((file) => realpath(file).catch(() => '')))).join('\n')
}

async function isReadable(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK).then(
    () => true,
    () => false,
  )
}

function unwatchable(error: unknown): OptionError {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return new OptionError(
    `--watch: The fixtures cannot be watched${code}. Check the permissions of their folders, or leave --watch out.`,
    { cause: error },
  )
}

/**
 * Time without changes before a reload, in milliseconds. chokidar reports changes of a file at most every 50 ms, so an earlier
 * reload could miss one.
 */
const DEBOUNCE_MS = 100

/** Debounces changes, and runs one reload at a time. */
class ReloadQueue {
  #reload: (() => Promise<void>) | undefined
  #quiet: NodeJS.Timeout | undefined
  #isPending = false
  #isReloading = false
  isStopped = false

  add(): void {
    if (this.isStopped) return
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.#isPending = true
      void this.#catchUp()
    }, DEBOUNCE_MS)
  }

  reloadWith(reload: () => Promise<void>): void {
    this.#reload = reload
    void this.#catchUp()
  }

  stop(): void {
    this.isStopped = true
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
