import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, readdir, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCodeOf, FileError } from './file-errors.ts'

type Content = string | Iterable<Uint8Array>

/** Mode of a new temporary file. Other users must not read its content before it has the mode of the replaced file. */
const OWNER_ONLY = 0o600

/** Returns the absolute path of a file, with symbolic links resolved. The folder of the file must exist, but the file need not. */
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
 * Writes a file that does not exist yet, and removes it on failure. Fails with EEXIST if anything exists at the path, even a broken
 * symbolic link. The new file has the owner, group and mode of `like`, if set.
 *
 * @throws FileError if the file cannot have the owner and group of `like`, and the errors of the file system
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
 * Replaces a file atomically: at any moment, even after a crash, it has either the old or the new content. Resolves when the new
 * content is on disk. An existing file keeps its mode and owner unless `isPrivate`. A new or private file is accessible only to its
 * owner.
 *
 * @throws the errors of `createFile`
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

/** Creates or replaces a file. Writes into anything that cannot be replaced, such as a pipe. */
export async function overwriteFile(path: string, text: Content): Promise<void> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) await createFile(await followLinks(path), text)
  else if (entry.isFile()) await replaceFile(await followLinks(path), text)
  else await writeFile(path, text)
}

/** Returns an unguessable name beside a file, so that nobody can have created a file there. */
function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`
}

/** Suffixes of temporary files, those of a lock included. */
const LEFTOVER = /^(?:\.lock)?\.[0-9a-f]{12}\.tmp$/

/** Removes temporary files that crashed writers of the file have left. Must not be called while the file is being written. */
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

/** Error codes for folders that cannot be opened or synced: on Windows, on some file systems, or without permission to read. */
const UNSYNCABLE = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EACCES', 'EPERM'])

/** Syncs a folder. Otherwise, a crash of the machine may undo a rename in it. */
async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path)
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if (!UNSYNCABLE.has(errorCodeOf(error))) throw error
  }
}

/** Removes a file if it exists. Ignores failures, because the file is only a leftover. */
async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined)
}
