import type { RunningServer } from '../../server/serve-host.ts'
import type { StoreServer } from '../../server/serve-store.ts'
import { StateFileError } from '../../server/server-error.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { openWatch } from '../open-watch.ts'
import { printError } from '../print-error.ts'
import { createProgress } from '../progress.ts'
import { reload } from '../reload.ts'
import type { ServeSettings } from '../serve-options.ts'
import { startFromSettings } from '../start-from-settings.ts'
import { EXEC_EXIT_CODES } from './exit-codes.ts'

/**
 * Runs a command while a server of its own listens, and returns the exit code.
 *
 * @param use runs the command
 * @throws OptionError, FixtureError, and ServerError where the server cannot be started.
 */
export async function withServer(
  served: ServeSettings,
  use: (server: SandboxServer | StoreServer) => Promise<number>,
): Promise<number> {
  process.off('exit', setFailed).on('exit', setFailed)
  const watch = await openWatch(served)
  let server: SandboxServer | StoreServer | undefined
  let code: number
  let isSaved: boolean
  try {
    server = await start(served)
    if ('sandbox' in server) {
      const { sandbox } = server
      watch?.onChange(() => reload(sandbox, watch.paths, { quiet: true }))
    }
    code = await use(server)
  } finally {
    await watch?.close()
    isSaved = server === undefined || (await close(server))
  }
  process.off('exit', setFailed)
  return isSaved ? code : EXEC_EXIT_CODES.failed
}

/** An unexpected error would give the exit code 1, which may be the command's. */
function setFailed(): void {
  process.exitCode = EXEC_EXIT_CODES.failed
}

function start(served: ServeSettings): Promise<SandboxServer | StoreServer> {
  const { quiet = false } = served
  const progress = createProgress(quiet ? { isTTY: false, write: () => {} } : process.stderr)
  return startFromSettings(served, { progress, ownWorld: true })
}

/** Stops the server, and returns whether its state could be saved. */
async function close(server: RunningServer): Promise<boolean> {
  try {
    await server.close()
    return true
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error
    printError(error.message, 'docs/exec.md')
    return false
  }
}
