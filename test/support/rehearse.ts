import { aFolder } from './cli.ts'
import { exec } from './exec.ts'
import type { ExecRun } from './exec.ts'
import { BIN } from './launch.ts'

interface RehearsalRun extends ExecRun {
  /** Its temporary folder, such as for the output of a rehearsal that failed; gone with its scope. */
  temporary: string
}

/** Runs `seo-sandbox rehearse` in a folder. */
export async function rehearse(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<RehearsalRun> {
  const folder = await aFolder({})
  const line: [string, ...string[]] = [process.execPath, BIN, 'rehearse']
  const run = exec(args, { cwd, line, env: { TMPDIR: folder.path(), ...env } })
  return {
    ...run,
    temporary: folder.path(),
    [Symbol.asyncDispose]: async () => {
      await run[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
