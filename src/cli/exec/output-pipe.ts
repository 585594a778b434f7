import { spawnSync } from 'node:child_process'
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The end of a pipe that a command writes to, and the one that is read here. */
export interface OutputPipe {
  writer: number
  reader: Socket
}

/**
 * Opens a named pipe, and removes its name at once. A command can open it again as `/dev/stderr`, unlike Node's own pipes, which are
 * sockets. Undefined where there is no `mkfifo`, and on Windows, where Git's `mkfifo` makes no pipe that Node could open.
 */
export function openOutputPipe(): OutputPipe | undefined {
  if (process.platform === 'win32') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'seo-sandbox-'))
  const path = join(folder, 'output')
  try {
    if (spawnSync('mkfifo', [path]).status !== 0) return undefined
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, constants.O_WRONLY)
    return { writer, reader: new Socket({ fd, readable: true, writable: false }) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
