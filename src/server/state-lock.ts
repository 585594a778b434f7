import { randomUUID } from 'node:crypto'
import { lstat, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { FileError } from './file-errors.ts'
import {
  createLock,
  describeHolder,
  isSameLock,
  isStale,
  readLock,
  renewLock,
  STALE_MS,
} from './lock-file.ts'
import type { Holder, LockFile, OwnLock } from './lock-file.ts'
import { identifyThisProcess } from './process-identity.ts'

/** How often a holder shows that it is alive. */
const RENEW_MS = 2000

/** Captured at import, so that fake timers of a test do not stop the renewal. */
const { setInterval, clearInterval, setTimeout } = globalThis

/** Another server holds the lock. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError'
}

/** The right to write a file, which one server at a time has. */
export interface StateLock {
  /** @throws FileError where it was lost before now */
  requireKept: () => void
  /** Looks whether this server still has it. @throws FileError where it was lost */
  check: () => Promise<void>
  release: () => Promise<void>
}

/**
 * Locks a file by another one next to it (docs/decisions/0018). A lock whose holder has crashed is taken over.
 *
 * @param path without symbolic links
 * @param onLost is called once, within seconds
 * @throws LockHeldError
 */
export async function lockFile(
  path: string,
  onLost: (error: FileError) => void,
): Promise<StateLock> {
  const lock = `${path}.lock`
  const text = JSON.stringify(await createHolder())
  const own = await acquire(lock, text)
  await removeOldClaim(lock, text)
  return new HeldLock({ path, lock, own, onLost })
}

async function createHolder(): Promise<Holder> {
  const started = new Date(Date.now() - process.uptime() * 1000).toISOString()
  const identity = await identifyThisProcess()
  return { id: randomUUID(), host: hostname(), started, ...identity }
}

/** For how long, and how often, a lock is looked at that was just created, until it names its holder. */
const UNNAMED_MS = 50
const UNNAMED_LOOKS = 10

/** Creates the lock, or takes it over. */
async function acquire(lock: string, text: string): Promise<OwnLock> {
  for (let looks = 1; ; looks += 1) {
    const created = await createLock(lock, text)
    if (created !== undefined) return created
    const found = await readLock(lock)
    if (found === undefined) continue
    if (await isStale(lock, found)) {
      const taken = await takeOver(lock, text)
      if (taken !== undefined) return taken
    } else if (found.holder || looks > UNNAMED_LOOKS) {
      throw new LockHeldError(describeHeld(found))
    } else {
      await new Promise((resolve) => {
        setTimeout(resolve, UNNAMED_MS)
      })
    }
  }
}

/**
 * Replaces a stale lock. Only the one who holds the claim may, and looks again first, so that two cannot take it at
 * once; a claim whose holder has crashed is taken over in the same way.
 */
async function takeOver(lock: string, text: string): Promise<OwnLock | undefined> {
  const claim = claimOf(lock)
  const own = await acquire(claim, text)
  try {
    const found = await readLock(lock)
    if (found && (await isStale(lock, found))) {
      await rename(claim, lock)
      const taken = await readLock(lock)
      return taken && isSameLock(taken, own) ? own : undefined
    }
  } catch (error) {
    await rm(claim, { force: true })
    throw error
  }
  await rm(claim, { force: true })
  return undefined
}

/** Removes the claim of a server that crashed when it took the lock over. What cannot be removed does no harm. */
async function removeOldClaim(lock: string, text: string): Promise<void> {
  const claim = claimOf(lock)
  try {
    if ((await readLock(claim)) === undefined) return
    await acquire(claim, text)
    await rm(claim, { force: true })
  } catch {
    // It is of a server that is about to see that the lock is held.
  }
}

function claimOf(lock: string): string {
  return `${lock}.claim`
}

function describeHeld({ holder }: LockFile): string {
  const isHere = holder?.host === hostname()
  const wait = isHere ? '' : `, wait ${STALE_MS / 1000} seconds if it has crashed`
  const who = holder ? `: ${describeHolder(holder)}` : ', which could not write its name'
  return `Another server uses it${who}. Stop that server${wait}, or choose another file.`
}

interface HeldLockOptions {
  path: string
  lock: string
  own: OwnLock
  onLost: (error: FileError) => void
}

class HeldLock implements StateLock {
  readonly #options: HeldLockOptions
  #own: OwnLock
  readonly #timer: NodeJS.Timeout
  #renewal: Promise<void> | undefined
  #lost: FileError | undefined

  constructor(options: HeldLockOptions) {
    this.#options = options
    this.#own = options.own
    this.#timer = setInterval(() => {
      // What fails for another reason than a loss, like a folder that is away, is tried again.
      this.#renewal ??= this.#renew()
        .catch(() => undefined)
        .finally(() => {
          this.#renewal = undefined
        })
    }, RENEW_MS).unref()
  }

  requireKept(): void {
    if (this.#lost) throw this.#lost
  }

  async check(): Promise<void> {
    this.requireKept()
    const found = await readLock(this.#options.lock)
    if (found) this.#requireOurs(found)
    else await this.#createAgain()
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewal
    if (this.#lost) return
    const { lock } = this.#options
    const found = await readLock(lock).catch(() => undefined)
    if (found && isSameLock(found, this.#own))
      await rm(lock, { force: true }).catch(() => undefined)
  }

  async #renew(): Promise<void> {
    await this.check()
    await renewLock(this.#options.lock, this.#own.text, (found) => this.#requireOurs(found))
  }

  #requireOurs(found: LockFile): void {
    if (isSameLock(found, this.#own)) return
    const who = found.holder ? `: ${describeHolder(found.holder)}` : ''
    throw this.#lose(
      `Another server has taken it over${who}. This one no longer saves to it. Stop one of them, or choose another file.`,
    )
  }

  /** Where the state went with its lock, as with their folder, nobody has taken it over. */
  async #createAgain(): Promise<void> {
    const { path, lock } = this.#options
    const state = await lstat(path).catch(() => undefined)
    if (state) {
      throw this.#lose(
        `Its lock ${basename(lock)} was removed. This server no longer saves to it. Restart it.`,
      )
    }
    const own = await createLock(lock, this.#own.text)
    if (own) this.#own = own
    else await this.check()
  }

  #lose(sentences: string): FileError {
    if (this.#lost) return this.#lost
    clearInterval(this.#timer)
    this.#lost = new FileError(sentences)
    this.#options.onLost(this.#lost)
    return this.#lost
  }
}
