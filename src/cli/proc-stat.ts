import { readFileSync } from 'node:fs'

export interface ProcStat {
  /** Name of the program, cut after 15 characters. */
  name: string
  /** Letter for the state of the process, such as `Z` for a zombie. */
  state: string
  parent: number
  /** Pid of the first process of the session. */
  session: number
}

/**
 * Reads the status of a process from a line like `19620 (sh) S 19598 19620 19598 …`; undefined if there is no such
 * process, or no `/proc`.
 */
export function readProcStat(pid: number): ProcStat | undefined {
  const text = readProcFile(`${pid}/stat`)
  const [, name, state, parent, session] = /\((.+)\) (\S) (\d+) \d+ (\d+)/s.exec(text ?? '') ?? []
  if (name === undefined || state === undefined) return undefined
  return { name, state, parent: Number(parent), session: Number(session) }
}

/** Returns the text of a file of `/proc`; undefined if it cannot be read, as when the process has ended. */
export function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
