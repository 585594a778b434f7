import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import { runRehearsal } from '../../rehearsal/run-rehearsal.ts'
import { severityOf } from '../../review/causes.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { CommandError } from '../../world/command-error.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { toEnvironment, withServer } from '../exec/command-sandbox.ts'
import { EXEC_EXIT_CODES, toSignalCode } from '../exec/exec-options.ts'
import { servedOptionsOf, withoutSecrets } from '../exec/exec-review.ts'
import { withProxies } from '../exec/proxies.ts'
import { ForwardedSignals } from '../exec/run-command.ts'
import { requireCommand, StartError } from '../exec/start-command.ts'
import { printError } from '../print.ts'
import { watchNpm } from '../stopping.ts'
import { prepareReports } from '../write-reports.ts'
import { CommandDriver, MonthlySessions } from './command-driver.ts'
import { readRehearseSettings, setStage } from './command-stage.ts'
import type { RehearseSettings, CommandStage } from './command-stage.ts'
import { printPlan, publishRehearsal, RehearsalProgress } from './print-rehearsal.ts'
import { markFolder, openOwnFolder, RunFolder } from './run-folder.ts'

interface Rehearsed {
  line: readonly string[]
  settings: RehearseSettings
  hasNpmEnded: (() => boolean) | undefined
}

/**
 * Runs a command repeatedly in a changing world, as planned, judges the command, and returns the exit code.
 *
 * @throws OptionError or FixtureError for invalid options or files; ServerError if the server cannot be started.
 */
export async function rehearse(
  line: readonly string[],
  flags: Record<string, unknown>,
): Promise<number> {
  // Called first, to notice if npm ends while fixtures are loading.
  const hasNpmEnded = watchNpm()
  const settings = await readRehearseSettings(flags)
  await prepareReports(settings.reports, undefined)
  return withServer(settings.served, async (server) => {
    if (!('sandbox' in server)) throw new RangeError('A rehearsal was given a store.')
    try {
      return await rehearseOn(server, { line, settings, hasNpmEnded })
    } catch (error) {
      if (error instanceof CommandError)
        throw new OptionError(`The plan does not fit this world: ${error.message}`, {
          cause: error,
        })
      if (!(error instanceof StartError)) throw error
      printError(error.message, 'docs/judging.md')
      return error.exitCode
    }
  })
}

async function rehearseOn(server: SandboxServer, rehearsed: Rehearsed): Promise<number> {
  const { settings, line } = rehearsed
  const stage = await setStage(server.sandbox, settings)
  if (settings.isDryRun) {
    const { shown } = stage.plan
    return printPlan({ ...shown, runs: shown.runs.slice(0, stage.end) }, settings.served)
  }
  // Checked before any files of an earlier rehearsal are removed.
  requireCommand(line)
  const clientState =
    settings.clientState === undefined
      ? undefined
      : await openOwnFolder(settings.clientState, '--client-state')
  const folder = await RunFolder.open(settings)
  try {
    const code = await rehearseCommand(server, { ...rehearsed, stage, folder })
    if (code === 0) await folder.discard()
    return code
  } catch (error) {
    await folder.discard()
    throw error
  } finally {
    // The client may have recreated its folder, without the marker.
    if (clientState !== undefined)
      await markFolder(clientState).catch(folder.warnOf('The state of the client is not marked.'))
  }
}

interface StagedRehearsal extends Rehearsed {
  stage: CommandStage
  folder: RunFolder
}

async function rehearseCommand(
  server: SandboxServer,
  { line, settings, hasNpmEnded, stage, folder }: StagedRehearsal,
): Promise<number> {
  const { sandbox } = server
  const { served, demands, timeoutMs } = settings
  const { plan, token, end, clock, limits } = stage
  const { redactor } = sandbox.world.secrets
  const about = {
    command: withoutSecrets(line, (text) => redactor.inText(text)),
    exit: null,
    world: redactor.inData(servedOptionsOf(served)).data,
  }
  const signals = new ForwardedSignals({ isSeries: true })
  const progress = new RehearsalProgress(end, served)
  const sessions = new MonthlySessions({
    folder: folder.path,
    sandbox,
    about: { ...about, policies: {}, require: [], waive: [] },
    onError: folder.warnOf('A session is not recorded.'),
  })
  const driver = new CommandDriver({
    line,
    env: await toEnvironment(server, settings),
    timeoutMs,
    sandbox,
    clock,
    signals,
    hasNpmEnded,
    outputOf: (number) => folder.outputOf(`run-${number}`),
    sessions,
    onRun: (run) => progress.onRun(run),
  })
  const isWhole = end === plan.steps.length
  const review = await runRehearsal({
    world: sandbox.world,
    plan,
    token,
    first: 0,
    end,
    driver,
    expect: settings.expect,
    requiredAfter: (runs) => {
      if (runs < end) return []
      return demands.require.length > 0 || !isWhole ? demands.require : ['delivered']
    },
    waive: demands.waive,
    about,
    limits,
    realNow: Date.now,
  }).finally(() => progress.end())
  await sessions.end()
  const { stop, failed } = driver
  if (stop instanceof StartError && review.runs.length === 1) {
    await folder.remove()
    printError(stop.message, 'docs/judging.md')
    return stop.exitCode
  }
  await publishRehearsal(withProxies(review, process.env), {
    folder: folder.shown,
    failed,
    settings,
  })
  if (stop instanceof StartError) printError(stop.message, 'docs/judging.md')
  return exitCodeOf(review, { stop, received: signals.received })
}

interface Stopped {
  /** Reason to end the rehearsal before its last run; undefined if there is none. */
  stop: StartError | 'npm-ended' | undefined
  received: ReadonlySet<NodeJS.Signals>
}

/**
 * Returns 0 if the client passed, 124 if only the time limit made it fail, or else 1. If the rehearsal ended early,
 * returns the code of the signal or the error that ended it; the code of SIGTERM if npm ended.
 */
function exitCodeOf(review: JudgedRehearsal, { stop, received }: Stopped): number {
  const [signal] = received
  if (signal !== undefined) return toSignalCode(signal)
  if (stop instanceof StartError) return stop.exitCode
  if (stop === 'npm-ended') return toSignalCode('SIGTERM')
  if (review.verdict === 'passed') return 0
  return isOnlyTimeouts(review) ? EXEC_EXIT_CODES.timedOut : EXEC_EXIT_CODES.reviewFailed
}

/**
 * True if there are errors, all of them for runs that the time limit ended. If a requirement is not met, every run must
 * have ended that way.
 */
function isOnlyTimeouts({ causes, checks, runs, required }: JudgedRehearsal): boolean {
  const errors = causes.filter((cause) => severityOf(cause, checks) === 'error')
  if (errors.length === 0 || errors.some(({ check }) => check !== 'endless-run')) return false
  return (
    required.every(({ met }) => met) || runs.every(({ exit }) => exit === EXEC_EXIT_CODES.timedOut)
  )
}
