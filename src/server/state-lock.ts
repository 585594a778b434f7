import { appendFile, lstat, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { withoutControls } from '../contract/text.ts'
import { errorCodeOf, FileError } from './file-errors.ts'
import { replaceFile } from './replace-file.ts'

/** A line of a lock: the pid, boot id, start time and host of a process. Without `/proc`, boot id and start time are empty. */
const HOLDER = /^(?<pid>\d+) \S* (?<start>\S*) (?<host>.+)$/

/**
 * Paths locked by this process. The lock alone is not enough: without `/proc`, a crashed process with the same pid may have left
 * the same line.
 */
const locked = new Set<string>()

/**
 * Locks a file of this machine (docs/decisions/0016). Each line of the lock names a process, and the first process that still runs
 * holds the lock. If several servers find the same stale lock, the order of the lines decides.
 *
 * @param path absolute, without symbolic links
 * @returns a function that releases the lock
 * @throws FileError while another server or this process holds the lock, and for a lock that no server wrote
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`
  const ownLine = await describeProcess(process.pid)
  if (locked.has(path)) throw new FileError('This process uses it already. Choose another file.')
  locked.add(path)
  const release = async (): Promise<void> => {
    const isOurs = await isHeld(lock, ownLine).catch(() => false)
    if (isOurs) await rm(lock, { force: true }).catch(() => undefined)
    locked.delete(path)
  }
  try {
    // Repeated, because the line is lost if the holder removes the lock in the meantime.
    while (!(await isHeld(lock, ownLine))) await appendFile(lock, `${ownLine}\n`)
    // Removes the lines of processes that have ended. Otherwise, every crash would add a line.
    await replaceFile(lock, `${ownLine}\n`)
    return release
  } catch (error) {
    await release()
    throw error
  }
}

/**
 * True if the line of this process holds the lock, false if no line does.
 *
 * @throws FileError if another process holds the lock, and for a lock that no server wrote
 */
async function isHeld(lock: string, ownLine: string): Promise<boolean> {
  for (const line of await readHolders(lock)) {
    if (line === ownLine) return true
    const { pid, host } = HOLDER.exec(line)?.groups ?? {}
    if (!host) throw new FileError(`${lock} is not the lock of a server. Move it away.`)
    const isHere = host === hostname()
    if (isHere && !(await isRunning(Number(pid), line))) continue
    const rest = isHere ? 'choose another file' : `remove ${lock} if it has ended`
    const who = withoutControls(`process ${pid} on ${host}`)
    throw new FileError(`Another server uses it: ${who}. Stop that server, or ${rest}.`)
  }
  return false
}

/**
 * Returns the lines of a lock; none if it does not exist, or if it is empty because the disk was full. For a link or a folder,
 * returns one empty line, which no server writes.
 */
async function readHolders(lock: string): Promise<string[]> {
  try {
    if (!(await lstat(lock)).isFile()) return ['']
    return (await readFile(lock, 'utf8')).split('\n').filter((line) => line !== '')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return []
    throw error
  }
}

async function isRunning(pid: number, line: string): Promise<boolean> {
  const seen = await describeProcess(pid)
  if (HOLDER.exec(seen)?.groups?.['start'] !== '') return seen === line
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCodeOf(error) !== 'ESRCH'
  }
}

/**
 * Returns the line of a process in a lock. The start time of a zombie is a dash, so that its line differs from the one that it
 * wrote: the process has ended, although its parent has not waited for it.
 */
async function describeProcess(pid: number): Promise<string> {
  const read = (file: string) => readFile(`/proc/${file}`, 'utf8').catch(() => '')
  const [boot, stat] = [await read('sys/kernel/random/boot_id'), await read(`${pid}/stat`)]
  // The second field, the name of the program, may contain anything.
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const start = /[ZX]/.test(state) ? '-' : (rest[18] ?? '')
  return `${pid} ${boot.trim()} ${start} ${hostname()}`
}
