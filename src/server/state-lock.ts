import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { z } from 'zod'
import { withoutControls } from '../contract/describe.ts'
import { setInterval, clearInterval, setTimeout } from '../contract/timers.ts'
import { codeOf, FileError, isOutOfSpace } from './file-errors.ts'
import { identifyThisProcess, isRunning } from './process-identity.ts'
import { temporaryName } from './replace-file.ts'

/** How often a holder shows that it is alive. */
const RENEW_MS = 2000

/** A holder on another host counts as crashed after this long without a renewal. */
const STALE_MS = 15_000

/** How long to wait, and how often to look, until a lock that was just created names its holder. */
const UNNAMED_MS = 50
const UNNAMED_LOOKS = 10

/** The lock has no secrets, and others should be able to read who holds it. */
const READABLE = 0o644

/** The last two are undefined on Windows, where they count as 0. */
const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants

/** Who holds a lock, as its file says. */
const Holder = z.object({
  /** The id of the lock and not of its process, which may hold several. */
  id: z.string(),
  pid: z.int().positive(),
  host: z.string(),
  /** When its process started. */
  started: z.string(),
  /** The same, as its operating system states it. */
  start: z.string(),
})
type Holder = z.infer<typeof Holder>

/** The file of a lock. On a full disk it is empty, which also locks; it is then recognised by its inode. */
interface LockFile {
  text: string
  inode: bigint
}

/** A lock to be renewed, and the text that it should have once there is space for it. */
interface Renewal {
  own: LockFile
  text: string
}

interface FoundLock extends LockFile {
  /** Undefined where it has not been written yet, or where there was no space for it. */
  holder: Holder | undefined
  renewedMs: number
}

/** The right to write a file, which one server at a time has. */
export interface StateLock {
  /** Checks whether this server still has it. @throws FileError where it was lost */
  check: () => Promise<void>
  release: () => Promise<void>
}

/**
 * Locks a file by another one next to it (docs/decisions/0018). A lock whose holder has crashed is taken over.
 *
 * @param path without symbolic links
 * @param onLost is called once, within seconds
 * @throws FileError where another server holds the lock
 */
export async function lockFile(
  path: string,
  onLost: (error: FileError) => void,
): Promise<StateLock> {
  const lock = `${path}.lock`
  const started = new Date(Date.now() - process.uptime() * 1000).toISOString()
  const identity = await identifyThisProcess()
  const holder: Holder = { id: randomUUID(), host: hostname(), started, ...identity }
  const text = JSON.stringify(holder)
  let own = await acquire(lock, text)
  await removeOldClaim(lock, text)
  let lost: FileError | undefined
  let renewal: Promise<void> | undefined

  const lose = (sentences: string): FileError => {
    if (lost) return lost
    clearInterval(timer)
    lost = new FileError(sentences)
    onLost(lost)
    return lost
  }
  const look = async (renewing?: Renewal): Promise<void> => {
    if (lost) throw lost
    const found = await findLock(lock, renewing)
    if (found && isSameLock(found, own)) return
    if (found) {
      const who = found.holder ? `: ${describeHolder(found.holder)}` : ''
      throw lose(
        `Another server has taken it over${who}. This one no longer saves to it. Stop one of them, or choose another file.`,
      )
    }
    // If the state is gone too, such as with its folder, nobody has taken it over.
    if (await lstat(path).catch(() => undefined)) {
      throw lose(
        `Its lock ${basename(lock)} was removed. This server no longer saves to it. Restart it.`,
      )
    }
    const created = await createLock(lock, text)
    if (created) own = created
    else await look()
  }
  const timer = setInterval(() => {
    // A failure for any reason but a loss, such as a folder that is not there for a while, is tried again.
    renewal ??= look({ own, text })
      .catch(() => undefined)
      .finally(() => (renewal = undefined))
  }, RENEW_MS).unref()

  return {
    check: () => look(),
    release: async () => {
      clearInterval(timer)
      await renewal
      const found = lost ? undefined : await findLock(lock).catch(() => undefined)
      if (found && isSameLock(found, own)) await rm(lock, { force: true }).catch(() => undefined)
    },
  }
}

/** Creates a lock, or takes it over. */
async function acquire(lock: string, text: string): Promise<LockFile> {
  for (let looks = 1; ; looks += 1) {
    const created = await createLock(lock, text)
    if (created) return created
    const found = await findLock(lock)
    if (!found) continue
    if (await isStale(lock, found)) {
      const taken = await takeOver(lock, text)
      if (taken) return taken
    } else if (found.holder || looks > UNNAMED_LOOKS) {
      throw new FileError(describeHeld(found))
    } else {
      await new Promise((resolve) => {
        setTimeout(resolve, UNNAMED_MS)
      })
    }
  }
}

/**
 * Replaces a stale lock. Only the holder of the claim may, and checks again first, so that two servers cannot take it
 * over at once; a claim whose holder has crashed is taken over in the same way.
 */
async function takeOver(lock: string, text: string): Promise<LockFile | undefined> {
  const claim = claimOf(lock)
  const own = await acquire(claim, text)
  try {
    const found = await findLock(lock)
    if (found && (await isStale(lock, found))) {
      await rename(claim, lock)
      const taken = await findLock(lock)
      return taken && isSameLock(taken, own) ? own : undefined
    }
  } catch (error) {
    await rm(claim, { force: true })
    throw error
  }
  await rm(claim, { force: true })
  return undefined
}

/** Removes the claim of a server that crashed while it took the lock over. */
async function removeOldClaim(lock: string, text: string): Promise<void> {
  const claim = claimOf(lock)
  try {
    if ((await findLock(claim)) === undefined) return
    await acquire(claim, text)
    await rm(claim, { force: true })
  } catch {
    // Its server is about to see that the lock is held.
  }
}

function claimOf(lock: string): string {
  return `${lock}.claim`
}

function isSameLock(found: LockFile, { text, inode }: LockFile): boolean {
  return found.text === text && (text !== '' || found.inode === inode)
}

/** Creates a lock; undefined where there is one already. */
async function createLock(lock: string, text: string): Promise<LockFile | undefined> {
  const handle = await open(lock, 'wx', READABLE).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  if (!handle) return undefined
  try {
    const { ino: inode } = await handle.stat({ bigint: true })
    const isNamed = await writeIfSpace(handle, text)
    if (!isNamed) await handle.truncate()
    return { text: isNamed ? text : '', inode }
  } catch (error) {
    await rm(lock, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

async function writeIfSpace(handle: FileHandle, text: string): Promise<boolean> {
  try {
    await handle.write(text, 0)
    return true
  } catch (error) {
    if (isOutOfSpace(error)) return false
    throw error
  }
}

/** Shows that the holder of a lock is alive. The disk sets the time where it has space for the text. */
async function renew(handle: FileHandle, { own, text }: Renewal): Promise<void> {
  if (await writeIfSpace(handle, text)) {
    own.text = text
    return
  }
  if (own.text === '') await handle.truncate()
  const now = new Date()
  await handle.utimes(now, now)
}

/** The lock; undefined where there is none. This server's own lock is renewed. */
async function findLock(lock: string, renewal?: Renewal): Promise<FoundLock | undefined> {
  const flags = (renewal ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK
  let handle: FileHandle
  try {
    handle = await open(lock, flags)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ELOOP' || codeOf(error) === 'EISDIR') throw notALock(lock)
    if (codeOf(error) !== 'EACCES' || renewal) throw error
    // Another user's umask hides who holds it, but not when it was renewed.
    const { ino: inode, mtimeMs } = await lstat(lock, { bigint: true })
    return { text: '', inode, renewedMs: Number(mtimeMs), holder: undefined }
  }
  try {
    const entry = await handle.stat({ bigint: true })
    if (!entry.isFile()) throw notALock(lock)
    const { ino: inode, mtimeMs } = entry
    const text = await handle.readFile('utf8')
    const found = { text, inode, renewedMs: Number(mtimeMs), holder: parseHolder(text) }
    if (renewal && isSameLock(found, renewal.own)) {
      await renew(handle, renewal)
      found.text = renewal.own.text
    }
    return found
  } finally {
    await handle.close()
  }
}

function notALock(lock: string): FileError {
  return new FileError(
    `${basename(lock)} next to it is not the lock file of a server. Move that away.`,
  )
}

function parseHolder(text: string): Holder | undefined {
  try {
    return Holder.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

async function isStale(lock: string, { holder, renewedMs }: FoundLock): Promise<boolean> {
  if (holder?.host === hostname()) return !(await isRunning(holder))
  return (await readFileTime(lock)) - renewedMs > STALE_MS
}

/** The time by the clock that sets the times of renewals, which is not this machine's on a network disk. */
async function readFileTime(lock: string): Promise<number> {
  const probe = temporaryName(lock)
  const handle = await open(probe, 'wx', READABLE)
  try {
    return (await handle.stat()).mtimeMs
  } finally {
    await handle.close()
    await rm(probe, { force: true })
  }
}

function describeHeld({ holder }: FoundLock): string {
  const isHere = holder?.host === hostname()
  const wait = isHere ? '' : `, wait ${STALE_MS / 1000} seconds if it has crashed`
  const who = holder ? `: ${describeHolder(holder)}` : ', which could not write its name'
  return `Another server uses it${who}. Stop that server${wait}, or choose another file.`
}

function describeHolder({ pid, host, started }: Holder): string {
  return withoutControls(`process ${pid} on ${host}, started ${started}`)
}
