import { constants } from 'node:fs'
import { lstat, open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { z } from 'zod'
import { withoutControls } from '../contract/describe.ts'
import { codeOf, FileError, isOutOfSpace } from './file-errors.ts'
import { isRunning } from './process-identity.ts'
import { temporaryName } from './replace-file.ts'

/** After so long without a renewal, a holder on another host counts as crashed. */
export const STALE_MS = 15_000

/** The lock has no secrets, and others are to read who holds it. */
const READABLE = 0o644

/** The last two are undefined on Windows, which counts as 0. */
const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants

/** Who holds a lock, as its file says. */
const Holder = z.object({
  /** Of the lock, not of its process, which may hold several. */
  id: z.string(),
  pid: z.int().positive(),
  host: z.string(),
  /** When its process started. */
  started: z.string(),
  /** The same, as its operating system states it. */
  start: z.string(),
})
export type Holder = z.infer<typeof Holder>

export interface LockFile {
  text: string
  /** Undefined where it was not written yet, or there was no space for it. */
  holder: Holder | undefined
  inode: bigint
  renewedMs: number
}

/** A lock that this process created: its file has the text, or is empty where there was no space for that. */
export interface OwnLock {
  text: string
  inode: bigint
}

export function isSameLock(found: LockFile, { text, inode }: OwnLock): boolean {
  return found.text === text || (found.text === '' && found.inode === inode)
}

/** Creates a lock; undefined where there is one already. */
export async function createLock(lock: string, text: string): Promise<OwnLock | undefined> {
  let handle: FileHandle
  try {
    handle = await open(lock, 'wx', READABLE)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined
    throw error
  }
  try {
    await writeName(handle, text)
    return { text, inode: (await handle.stat({ bigint: true })).ino }
  } catch (error) {
    await rm(lock, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** On a full disk the lock keeps what it had: also an empty one locks, and the server can start. */
async function writeName(handle: FileHandle, text: string, before = ''): Promise<void> {
  try {
    await handle.write(text, 0)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
    await handle.truncate(Buffer.byteLength(before))
    const now = new Date()
    await handle.utimes(now, now)
  }
}

/** The lock; undefined where there is none. */
export async function readLock(lock: string): Promise<LockFile | undefined> {
  try {
    const handle = await open(lock, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    return await readFrom(lock, handle).finally(() => handle.close())
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ELOOP') throw notALock(lock)
    if (codeOf(error) !== 'EACCES') throw error
    const { ino, mtimeMs } = await lstat(lock, { bigint: true })
    return { text: '', holder: undefined, inode: ino, renewedMs: Number(mtimeMs) }
  }
}

async function readFrom(lock: string, handle: FileHandle): Promise<LockFile> {
  const entry = await handle.stat({ bigint: true })
  if (!entry.isFile()) throw notALock(lock)
  const text = await handle.readFile('utf8')
  return { text, holder: parse(text), inode: entry.ino, renewedMs: Number(entry.mtimeMs) }
}

function notALock(lock: string): FileError {
  return new FileError(
    `${basename(lock)} next to it is not the lock file of a server. Move that away.`,
  )
}

function parse(text: string): Holder | undefined {
  try {
    return Holder.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

export async function isStale(lock: string, { holder, renewedMs }: LockFile): Promise<boolean> {
  if (holder?.host === hostname()) return !(await isRunning(holder))
  return (await readFileTime(lock)) - renewedMs > STALE_MS
}

/** The time by the clock that renewals have, which on a network disk is not this machine's. */
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

export function describeHolder({ pid, host, started }: Holder): string {
  return withoutControls(`process ${pid} on ${host}, started ${started}`)
}

/** Writes the same bytes again: the disk sets the time, and no reader sees anything else. */
export async function renewLock(
  lock: string,
  text: string,
  requireOurs: (found: LockFile) => void,
): Promise<void> {
  const handle = await open(lock, O_RDWR | O_NOFOLLOW)
  try {
    const found = await readFrom(lock, handle)
    requireOurs(found)
    await writeName(handle, text, found.text)
  } finally {
    await handle.close()
  }
}
