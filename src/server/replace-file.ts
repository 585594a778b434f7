import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, readdir, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCodeOf, FileError } from './file-errors.ts'

/** A text, or its parts as UTF-8. */
type Content = string | Iterable<Uint8Array>

/** Nobody else may read a temporary file yet, whatever the mode of the file that it replaces. */
const OWNER_ONLY = 0o600

/** Returns the absolute path at the end of symbolic links. Only its folder has to exist. */
export async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error
  }
  const folder = await realpath(dirname(resolve(path)))
  const target = await readlink(path).catch(() => undefined)
  return target === undefined ? join(folder, basename(path)) : followLinks(resolve(folder, target))
}

/**
 * Writes a file that does not exist yet. If that fails, no part of it is left; if something exists, even a symbolic link to
 * nothing, it fails with EEXIST.
 */
export async function createFile(
  path: string,
  text: Content,
  { mode, like }: { mode?: number; like?: Stats | undefined } = {},
): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await writeFile(handle, text)
    if (like) await keepOwnerAndMode(handle, like)
    await handle.sync()
    await handle.close()
  } catch (error) {
    await handle.close().catch(() => undefined)
    await remove(path)
    throw error
  }
}

/**
 * Replaces a file in one step, on disk when this resolves: it has the old text or the new one at any moment, even after a
 * crash. Its mode and owner stay unless it is private; a new file is for its owner only.
 */
export async function replaceFile(
  path: string,
  text: Content,
  { isPrivate = false } = {},
): Promise<void> {
  const temporary = temporaryName(path)
  const like = await stat(path).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'ENOENT') throw error
    return undefined
  })
  await createFile(temporary, text, { mode: OWNER_ONLY, ...(!isPrivate && { like }) })
  try {
    await rename(temporary, path)
  } catch (error) {
    await remove(temporary)
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Writes a file in place of the one at a path, if any. Anything that cannot be replaced, like a pipe, is written to
 * instead.
 */
export async function overwriteFile(path: string, text: Content): Promise<void> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) await createFile(await followLinks(path), text)
  else if (entry.isFile()) await replaceFile(await followLinks(path), text)
  else await writeFile(path, text)
}

/** Returns an unguessable name next to a file, so that nobody can have put anything at that path. */
function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`
}

/** The names of temporary files of a file and its lock, without the file's own name. */
const LEFTOVER = /^(?:\.lock)?\.[0-9a-f]{12}\.tmp$/

/** Removes the temporary files that writers left when they crashed. No writer may be at work. */
export async function removeLeftovers(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)]
  const names = await readdir(folder).catch(() => [])
  const left = names.filter(
    (entry) => entry.startsWith(name) && LEFTOVER.test(entry.slice(name.length)),
  )
  await Promise.all(left.map((entry) => remove(join(folder, entry))))
}

async function keepOwnerAndMode(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const now = await handle.stat()
  if (now.uid !== uid || now.gid !== gid) {
    await handle.chown(uid, gid).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'EPERM') throw error
      throw new FileError(
        'It belongs to another user or group, and would not after writing. Write it as its owner, or move it away.',
        { cause: error },
      )
    })
  }
  await handle.chmod(mode & 0o7777)
}

/**
 * Codes of errors from opening or syncing a folder, on Windows and some file systems, or without permission to read the folder.
 */
const UNSYNCABLE = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EACCES', 'EPERM'])

/** Syncs a folder: otherwise a crash of the machine may undo a rename. */
async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path)
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if (!UNSYNCABLE.has(errorCodeOf(error))) throw error
  }
}

/** Removes a file that may be gone already; one that cannot be removed stays for the next server. */
async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined)
}
