import { toShownJson } from '../../contract/describe.ts'
import type { StoreServer } from '../../server/serve-store.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { watchNpm } from '../npm.ts'
import { printError } from '../print-error.ts'
import type { ServeSettings } from '../serve-options.ts'
import { prepareReports } from '../write-reports.ts'
import { StartError } from './start-error.ts'
import { toEnvironment } from './environment.ts'
import { EXEC_EXIT_CODES } from './exit-codes.ts'
import { readExecSettings } from './settings.ts'
import type { ExecSettings } from './settings.ts'
import { describeEnd, toEndEvent, toExitCode } from './report.ts'
import { isFailure } from '../../review/verdict.ts'
import { publish, recordRun, review, sessionFileOf } from './review.ts'
import { toRun } from './run.ts'
import { runInStorm } from './run-in-storm.ts'
import { runCommand } from './run-command.ts'
import type { CommandEnd } from './run-command.ts'
import { withServer } from './with-server.ts'

/**
 * `seo-sandbox exec`: runs a command with a sandbox of its own, and returns the exit code. It prints nothing to standard
 * output, which is the command's.
 *
 * @throws OptionError, FixtureError, and ServerError where the sandbox cannot be started.
 */
export async function exec(
  line: readonly string[],
  flags: Record<string, unknown>,
): Promise<number> {
  // First, to notice if npm ends while the fixtures are loaded.
  const hasNpmEnded = watchNpm()
  const settings = await readExecSettings(flags)
  const { reports = [] } = settings
  await prepareReports(reports, sessionFileOf(reports))
  return withServer(settings.served, (server) => runWith(server, line, { settings, hasNpmEnded }))
}

interface RunOptions {
  settings: ExecSettings
  hasNpmEnded: (() => boolean) | undefined
}

/** Runs the command while the server listens, and returns the exit code. */
async function runWith(
  server: SandboxServer | StoreServer,
  line: readonly string[],
  { settings, hasNpmEnded }: RunOptions,
): Promise<number> {
  const { served, timeoutMs, leavesDaemons, reports, demands, isStorm } = settings
  const options = { env: toEnvironment(server, settings), timeoutMs, leavesDaemons, hasNpmEnded }
  const sandbox = reports && 'sandbox' in server ? server.sandbox : undefined
  const began = sandbox?.clock.read()
  const record = sandbox && recordRun(sandbox, { isQuiet: served.quiet === true })
  try {
    const { end, storm } =
      sandbox && isStorm
        ? await runInStorm(line, { options, sandbox, isQuiet: served.json || served.quiet })
        : { end: await runCommand(line, options) }
    const exit = toExitCode(end)
    const reviewed =
      sandbox && began && record && reports
        ? await review(sandbox, {
            ...record,
            run: toRun(sandbox, { line, exit, storm, served, demands, began }),
            reports,
          })
        : undefined
    const isAtFault = exit === 0 && reviewed !== undefined && isFailure(reviewed.review)
    const code = isAtFault ? EXEC_EXIT_CODES.reviewFailed : exit
    report(end, code, served)
    if (reports && reviewed) await publish(reviewed, reports, served)
    return code
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    printError(error.message, 'docs/exec.md')
    return error.exitCode
  } finally {
    record?.spool?.close()
  }
}

function report(end: CommandEnd, code: number, { json, quiet }: ServeSettings): void {
  if (quiet) return
  const lines = json
    ? [toShownJson(toEndEvent(end, code))]
    : describeEnd(end).map((sentence) => `seo-sandbox: ${sentence}`)
  process.stderr.write(lines.map((line) => `${line}\n`).join(''))
}
