import { readFileSync } from 'node:fs'

/** Facts about a process from `/proc`. */
export interface ProcStat {
  /** At most 15 characters of the name of its program. */
  name: string
  /** A letter; Z for a zombie. */
  state: string
  parent: number
  /** The pid of the first process of its session. */
  session: number
}

/** Reads `19620 (sh) S 19598 19620 19598 …`; undefined without such a process, or without `/proc`. */
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
