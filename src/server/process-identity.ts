import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf } from './file-errors.ts'

/** A process that runs, or ran. A pid alone is not enough, because a later process may get the same one. */
export interface ProcessIdentity {
  pid: number
  /** When it started, in a form of the operating system that can only be compared; empty where it cannot be read. */
  start: string
}

export async function identifyThisProcess(): Promise<ProcessIdentity> {
  const { pid } = process
  return { pid, start: (await readProcess(pid))?.start ?? '' }
}

/**
 * Whether a process of this machine still runs, rather than another one with its pid. Where start times cannot be read
 * (Windows, or other users' processes hidden), any process with that pid counts.
 */
export async function isRunning({ pid, start }: ProcessIdentity): Promise<boolean> {
  const found = await readProcess(pid)
  if (found) return !found.hasEnded && (start === '' || start === found.start)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

interface FoundProcess {
  start: string
  /** It was killed, but its parent has not asked for its exit code yet, which in a container may never happen. */
  hasEnded: boolean
}

async function readProcess(pid: number): Promise<FoundProcess | undefined> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
      return parseProcStat(stat, await readFile('/proc/sys/kernel/random/boot_id', 'utf8'))
    }
    const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)]
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
    return parsePs((await promisify(execFile)('ps', args, { env })).stdout)
  } catch {
    return undefined
  }
}

/** Reads `/proc/<pid>/stat`: the state, and the time of the start, which is in ticks since the machine was booted. */
export function parseProcStat(text: string, bootId: string): FoundProcess {
  // The second field is the name of the program, which may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = ''] = fields
  return { start: `${bootId.trim()}/${fields[19]}`, hasEnded: /^[ZX]/.test(state) }
}

/** Reads what `ps -o stat= -o lstart=` writes, such as `Ss   Sun Nov 22 07:00:00 2026`. */
export function parsePs(text: string): FoundProcess | undefined {
  const [state, ...start] = text.trim().split(/\s+/)
  return state ? { start: start.join(' '), hasEnded: state.startsWith('Z') } : undefined
}
