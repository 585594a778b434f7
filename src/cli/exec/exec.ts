import type { RunningServer } from '../../server/serve-host.ts'
import type { StoreServer } from '../../server/serve-store.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { StateFileError } from '../../server/server-error.ts'
import { OptionError } from '../../world/option-error.ts'
import { watchNpm } from '../npm.ts'
import { openWatch } from '../open-watch.ts'
import { printError } from '../print-error.ts'
import { createProgress } from '../progress.ts'
import { reload } from '../reload.ts'
import type { ServeSettings } from '../serve-options.ts'
import { startFromSettings } from '../start-from-settings.ts'
import { prepareReports } from '../write-reports.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { StartError } from './start-error.ts'
import { EXEC_EXIT_CODES } from './exit-codes.ts'
import { readExecSettings } from './settings.ts'
import type { ExecSettings } from './settings.ts'
import { describeEnd, toEndEvent, toExitCode } from './report.ts'
import { isFailure } from '../../review/verdict.ts'
import { publish, recordRun, review, sessionFileOf } from './review.ts'
import { EXEC_VARIABLES, toApi } from './variables.ts'
import type { ExecValue } from './variables.ts'
import { toRun } from './run.ts'
import { runInStorm } from './run-in-storm.ts'
import { runCommand } from './run-command.ts'
import type { CommandEnd } from './run-command.ts'

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
  // First, so that an end of npm while the fixtures are loaded is noticed.
  const hasNpmEnded = watchNpm()
  process.off('exit', setFailed).on('exit', setFailed)
  const settings = await readExecSettings(flags)
  const { reports = [] } = settings
  await prepareReports(reports, sessionFileOf(reports))
  const watch = await openWatch(settings.served)
  let server: SandboxServer | StoreServer | undefined
  let code: number
  let isSaved: boolean
  try {
    server = await start(settings.served)
    if ('sandbox' in server) {
      const { sandbox } = server
      watch?.onChange(() => reload(sandbox, watch.paths, { quiet: true }))
    }
    code = await runWith(server, line, { settings, hasNpmEnded })
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
    printError(error.message)
    return false
  }
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
    printError(error.message)
    return error.exitCode
  } finally {
    record?.spool?.close()
  }
}

/** What to do if `--env` asks for something that this sandbox does not have. */
const REMEDIES = {
  token:
    'The world has no token that this machine may use. Add an active one to its fixture, or leave this out.',
  control: 'The control API is off. Leave out --no-control, or this.',
  key: 'The control API needs no key. Set one with --admin-key, or leave this out.',
} as const

/**
 * The environment of the command.
 *
 * @throws OptionError if `--env` asks for something that does not exist.
 */
function toEnvironment(
  { url, control, world }: RunningServer,
  { served, mapped }: ExecSettings,
): NodeJS.ProcessEnv {
  const values: Record<ExecValue, string | undefined> = {
    url,
    api: toApi(url),
    token: findUsableToken(world.records.all('tokens')),
    control: control?.url,
    key: served['admin-key'],
  }
  const env = { ...process.env }
  // The variables of an enclosing run are not passed on.
  for (const [name, variable] of Object.entries(EXEC_VARIABLES)) {
    env[variable] = values[name as keyof typeof EXEC_VARIABLES]
  }
  for (const [variable, name] of mapped) {
    const value = values[name]
    if (value === undefined && name in REMEDIES) {
      throw new OptionError(`--env ${variable}=${name}: ${REMEDIES[name as keyof typeof REMEDIES]}`)
    }
    env[variable] = value
  }
  return env
}

function report(end: CommandEnd, code: number, { json, quiet }: ServeSettings): void {
  if (quiet) return
  const lines = json
    ? [JSON.stringify(toEndEvent(end, code))]
    : describeEnd(end).map((sentence) => `seo-sandbox: ${sentence}`)
  process.stderr.write(lines.map((line) => `${line}\n`).join(''))
}
