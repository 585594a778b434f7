import { toShownJson } from '../../contract/text.ts'
import { nameFault, planStorm } from '../../rehearsal/storm.ts'
import { isOfClient } from '../../review/reviewed-request.ts'
import { isFailure } from '../../review/verdict.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { StoreServer } from '../../server/serve-store.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import type { SessionRun } from '../../session/session.ts'
import { printError } from '../print.ts'
import type { ServeSettings } from '../serve-options.ts'
import { watchNpm } from '../stopping.ts'
import { prepareReports } from '../write-reports.ts'
import { toEnvironment, readExecSettings, withServer } from './command-sandbox.ts'
import type { ExecSettings } from './command-sandbox.ts'
import { EXEC_EXIT_CODES } from './exec-options.ts'
import { publishReview, recordRun, reviewRun, sessionFileOf, toRun } from './exec-review.ts'
import { describeEnd, toEndEvent, toExitCode, runCommand } from './run-command.ts'
import type { CommandEnd, CommandOptions } from './run-command.ts'
import { StartError } from './start-command.ts'
import type { CommandRun } from './vary.ts'

/**
 * Runs a command with a sandbox of its own, and returns the exit code. Prints nothing to standard output, which belongs
 * to the command.
 *
 * @throws OptionError or FixtureError for invalid options or files; ServerError if the server cannot be started.
 */
export async function exec(
  line: readonly string[],
  flags: Record<string, unknown>,
): Promise<number> {
  // Called first, to notice if npm ends while fixtures are loading.
  const hasNpmEnded = watchNpm()
  const settings = await readExecSettings(flags)
  const { reports = [] } = settings
  await prepareReports(reports, sessionFileOf(reports))
  const options = { settings, hasNpmEnded }
  if (settings.isVaried) {
    const { vary } = await import('./vary.ts')
    const run = (server: SandboxServer, isFirst: boolean) =>
      isFirst ? runWith(server, line, options) : runSilently(server, line, options)
    return vary({ served: settings.served, run })
  }
  return withServer(settings.served, async (server) => (await runWith(server, line, options)).code)
}

interface RunOptions {
  settings: ExecSettings
  hasNpmEnded: (() => boolean) | undefined
}

async function runSilently(
  server: SandboxServer,
  line: readonly string[],
  { settings, hasNpmEnded }: RunOptions,
): Promise<CommandRun> {
  const { timeoutMs, leavesDaemons } = settings
  const env = await toEnvironment(server, settings)
  const output = () => {}
  const end = await runCommand(line, { env, timeoutMs, leavesDaemons, hasNpmEnded, output })
  const exit = toExitCode(end)
  return { exit, code: exit, isStopped: isStopped(end) }
}

function isStopped({ reason, received }: CommandEnd): boolean {
  return reason === 'npm-ended' || received.size > 0
}

async function runWith(
  server: SandboxServer | StoreServer,
  line: readonly string[],
  { settings, hasNpmEnded }: RunOptions,
): Promise<CommandRun> {
  const { served, timeoutMs, leavesDaemons, reports, demands, isStorm } = settings
  const env = await toEnvironment(server, settings)
  const options = { env, timeoutMs, leavesDaemons, hasNpmEnded }
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
        ? await reviewRun(sandbox, {
            ...record,
            run: toRun(sandbox, { line, exit, storm, served, demands, began }),
            reports,
          })
        : undefined
    const isAtFault = exit === 0 && reviewed !== undefined && isFailure(reviewed.review)
    const code = isAtFault ? EXEC_EXIT_CODES.reviewFailed : exit
    report(end, code, served)
    if (reports && reviewed) await publishReview(reviewed, reports, served)
    return { exit, code, isStopped: isStopped(end) }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    printError(error.message, 'docs/judging.md')
    return { exit: error.exitCode, code: error.exitCode, isStopped: false }
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

interface StormOptions {
  options: CommandOptions
  sandbox: Sandbox
  isQuiet: boolean | undefined
}

interface EndedStorm {
  end: CommandEnd
  storm: NonNullable<SessionRun['storm']>
}

/**
 * Runs a command for each run of a storm. Stops early if the command has sent no request yet, or if a run is ended by a
 * signal, the time limit or the end of npm.
 */
export async function runInStorm(
  line: readonly string[],
  { options, sandbox, isQuiet = false }: StormOptions,
): Promise<EndedStorm> {
  const tell = (text: string) => isQuiet || process.stderr.write(`seo-sandbox: ${text}\n`)
  const runs = planStorm(sandbox.world.options.settings.seed)
  const storm: EndedStorm['storm'] = []
  for (;;) {
    const { text, faults, advance, isOutage = false } = runs[storm.length]!
    const armed = new Map<number, string | undefined>()
    const met = new Set<string | undefined>()
    const begin = async (): Promise<void> => {
      armed.clear()
      if (advance !== undefined) await sandbox.clock.advance(advance)
      for (const fault of faults) armed.set((await sandbox.faults.add(fault)).id, nameFault(fault))
    }
    let beginning = begin()
    await beginning
    const unsubscribe = sandbox.world.subscribe({
      // A test suite may reset the world between its tests, which all belong to this run and need its faults.
      onCommand: ({ definition }) => {
        if (definition.startsSession === true) beginning = beginning.then(begin)
      },
      onRequest: ({ sender, head }) => {
        if (isOfClient({ sender })) for (const id of head.faults) met.add(armed.get(id))
      },
    })
    tell(`Run ${storm.length + 1} of ${runs.length}: ${text}.`)
    const end = await runCommand(line, options)
    unsubscribe()
    await beginning
    const exit = toExitCode(end)
    const planned = new Set(faults.flatMap((fault) => nameFault(fault) ?? []))
    const unmet = [...planned].filter((name) => !met.has(name))
    storm.push({ run: text, exit, ...(unmet.length > 0 && { unmet }) })
    // The command itself may have disarmed some faults.
    for (const { id } of sandbox.faults.list()) if (armed.has(id)) await sandbox.faults.remove(id)
    const hasAsked = sandbox.review({ since: 'start' }).requests > 0
    const isEnded = end.reason !== null || end.signal !== null || end.received.size > 0
    if (isEnded || !hasAsked || storm.length === runs.length) return { end, storm }
    if (isOutage && exit === 0) tell('The command exited with 0 although its token was refused.')
  }
}
