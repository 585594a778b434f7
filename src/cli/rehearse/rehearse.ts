import { readFile } from 'node:fs/promises'
import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import { runRehearsal } from '../../rehearsal/run-rehearsal.ts'
import type { RehearsedRun } from '../../review/rehearsal.ts'
import { OF_SEVERAL_RUNS } from '../../review/rehearsal-checks.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { CommandError } from '../../world/command-error.ts'
import { OptionError } from '../../world/option-error.ts'
import type { Snapshot } from '../../world/snapshot.ts'
import { toEnvironment } from '../exec/environment.ts'
import { ForwardedSignals } from '../exec/forwarded-signals.ts'
import { optionsOf } from '../exec/run.ts'
import { requireCommand } from '../exec/start-command.ts'
import { StartError } from '../exec/start-error.ts'
import { withServer } from '../exec/with-server.ts'
import { withoutSecrets } from '../exec/without-secrets.ts'
import { watchNpm } from '../npm.ts'
import { printError } from '../print-error.ts'
import type { ServeSettings } from '../serve-options.ts'
import { prepareReports } from '../write-reports.ts'
import { CommandDriver } from './command-driver.ts'
import { exitCodeOf } from './exit-code.ts'
import { probeClock } from './faked-clock.ts'
import type { FakedClock } from './faked-clock.ts'
import { findFlaky } from './find-flaky.ts'
import { KeptRuns, putStateBack, readKeptRun, settingsToKeep } from './kept-runs.ts'
import type { RepeatableRun } from './kept-runs.ts'
import { MonthlySessions } from './monthly-sessions.ts'
import { WORLD_SOURCES } from './options.ts'
import { markFolder, openOwnFolder } from './own-folder.ts'
import { printPlan } from './print-plan.ts'
import { publish } from './publish.ts'
import { RehearsalProgress } from './rehearsal-progress.ts'
import { RunFolder } from './run-folder.ts'
import { readRehearseSettings } from './settings.ts'
import type { RehearseSettings } from './settings.ts'
import { setStage } from './stage.ts'
import type { Stage } from './stage.ts'

/** A command, and how it is rehearsed. */
interface Rehearsed {
  line: readonly string[]
  settings: RehearseSettings
  /** A run that is repeated alone. */
  repeated: RepeatableRun | undefined
  faked: FakedClock | undefined
  hasNpmEnded: (() => boolean) | undefined
}

/**
 * `seo-sandbox rehearse`: runs a command as often as a plan says, in a world that changes meanwhile, judges it, and returns the
 * exit code.
 *
 * @throws OptionError, FixtureError, and ServerError where the sandbox cannot be started.
 */
export async function rehearse(
  line: readonly string[],
  flags: Record<string, unknown>,
): Promise<number> {
  // First, to notice if npm ends while the fixtures are loaded.
  const hasNpmEnded = watchNpm()
  const given = await readRehearseSettings(flags)
  const repeated = given.from === undefined ? undefined : await readKeptRun(given.from)
  const settings = repeated ? repeating(given, repeated, flags) : given
  const { clientClock, isDryRun, reports } = settings
  const faked =
    clientClock === 'faketime' && !isDryRun ? await probeClock(line, process.env) : undefined
  await prepareReports(reports, undefined)
  const rehearsed = { line, settings, repeated, faked, hasNpmEnded }
  return withServer(settings.served, async (server) => {
    if (!('sandbox' in server)) throw new RangeError('A rehearsal was given a store.')
    try {
      return await rehearseOn(server, rehearsed)
    } catch (error) {
      if (!(error instanceof StartError)) throw repeated ? ofFolder(error) : ofPlan(error)
      printError(error.message, 'docs/rehearse-commands.md')
      return error.exitCode
    }
  })
}

/** What is wrong with the folder of a run that was kept, which somebody has changed; any other error as it is. */
function ofFolder(error: unknown): unknown {
  if (error instanceof OptionError || codeOf(error) === '') return error
  const reason = error instanceof CommandError ? error.message : toFileReason(error, 'read')
  return new OptionError(`--from: ${reason}`, { cause: error })
}

/** What the world does not allow of the plan; any other error as it is. */
function ofPlan(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error
  return new OptionError(`The plan does not fit this world: ${error.message}`, { cause: error })
}

/** The settings of a run that is repeated: its world, and what was not given anew. */
function repeating(
  settings: RehearseSettings,
  { settings: kept, client_clock, client_state, world }: RepeatableRun,
  flags: Record<string, unknown>,
): RehearseSettings {
  const served: ServeSettings = { ...settings.served, ...kept, snapshot: world }
  for (const name of WORLD_SOURCES) delete served[name]
  return {
    ...settings,
    served,
    clientClock: flags['client-clock'] === undefined ? client_clock : settings.clientClock,
    clientState: settings.clientState ?? client_state ?? undefined,
  }
}

/** @throws StartError where there is no such command. */
async function rehearseOn(server: SandboxServer, rehearsed: Rehearsed): Promise<number> {
  const { settings, repeated } = rehearsed
  const stage = await setStage(server.sandbox, rehearsed)
  if (settings.isDryRun) {
    const { shown } = stage.plan
    const runs = shown.runs.slice(stage.first, stage.end)
    return printPlan({ ...shown, runs }, settings.served)
  }
  // Before anything of an earlier rehearsal is removed.
  requireCommand(rehearsed.line)
  const clientState =
    settings.clientState === undefined
      ? null
      : await openOwnFolder(settings.clientState, '--client-state')
  if (repeated) await putStateBack({ ...repeated, client_state: clientState })
  const folder = await RunFolder.open(settings)
  try {
    const code = await new CommandRehearsal(server, { rehearsed, stage, folder, clientState }).run()
    if (code === 0) await folder.discard()
    return code
  } catch (error) {
    await folder.discard()
    throw error
  } finally {
    // The client may have recreated its folder, without the marker.
    if (clientState !== null)
      await markFolder(clientState).catch(folder.warnOf('The state of the client is not marked.'))
  }
}

/** The numbers of the runs with a finding: those that show one by themselves first. */
function runsToKeep(runs: readonly RehearsedRun[]): number[] {
  const found = runs.filter(({ findings }) => findings.length > 0)
  const isAlone = ({ findings }: RehearsedRun) =>
    findings.some((id) => !OF_SEVERAL_RUNS.includes(id))
  const inOrder = [...found.filter(isAlone), ...found.filter((run) => !isAlone(run))]
  return inOrder.map(({ number }) => number)
}

interface Parts {
  rehearsed: Rehearsed
  stage: Stage
  folder: RunFolder
  /** The whole path of the folder that the client keeps things in between runs; null without one. */
  clientState: string | null
}

/** A rehearsal of a command whose server listens. */
class CommandRehearsal {
  readonly #server: SandboxServer
  readonly #parts: Parts
  readonly #signals = new ForwardedSignals({ goesOn: true })
  readonly #about: Pick<JudgedRehearsal['context'], 'command' | 'exit' | 'world'>

  constructor(server: SandboxServer, parts: Parts) {
    this.#server = server
    this.#parts = parts
    const { line, settings } = parts.rehearsed
    const { redactor } = server.sandbox.world.secrets
    this.#about = {
      command: withoutSecrets(line, (text) => redactor.inText(text)),
      exit: null,
      world: redactor.inData(optionsOf(settings.served)).data,
    }
  }

  /** Rehearses, reports, and returns the exit code. */
  async run(): Promise<number> {
    const { sandbox } = this.#server
    const { rehearsed, stage, folder, clientState } = this.#parts
    const { settings } = rehearsed
    const { served, demands, retries, clientClock } = settings
    const { plan, first, end } = stage
    const progress = new RehearsalProgress(end - first, served)
    const from = {
      client_clock: clientClock,
      client_state: clientState,
      settings: settingsToKeep(served),
      plan,
    }
    const onError = folder.warnOf('A run is not kept.')
    const kept = new KeptRuns({ folder: folder.path, sandbox, from, onError })
    const sessions = new MonthlySessions({
      folder: folder.path,
      sandbox,
      about: { ...this.#about, policies: {}, require: [], waive: [] },
      onError: folder.warnOf('A session is not recorded.'),
    })
    const driver = this.#createDriver({
      nameOf: (number) => `run-${number}`,
      kept,
      sessions,
      onRun: (run) => progress.onRun(run),
    })
    const isWhole = first === 0 && end === plan.steps.length
    const judged = await this.#rehearse({
      driver,
      first,
      end,
      requiredAfter: (runs) => {
        if (runs < end - first) return []
        return demands.require.length > 0 || !isWhole ? demands.require : ['delivered']
      },
    }).finally(() => progress.end())
    await sessions.end()
    const { stop } = driver
    if (stop instanceof StartError && judged.runs.length === 1) {
      await folder.remove()
      printError(stop.message, 'docs/rehearse-commands.md')
      return stop.exitCode
    }
    const numbers = await kept.finish(runsToKeep(judged.runs))
    const runs = await findFlaky(judged.runs, numbers, {
      retries,
      isStopped: () => driver.isStopped(),
      repeat: (number, attempt) =>
        this.#repeat(kept.folderOf(number), `run-${number}.retry-${attempt}`),
    })
    const review = { ...judged, runs }
    await publish(review, {
      folder: folder.shown,
      kept: numbers,
      failed: driver.failed,
      settings,
    })
    if (stop instanceof StartError) printError(stop.message, 'docs/rehearse-commands.md')
    return exitCodeOf(review, { stop, received: this.#signals.received })
  }

  /** Repeats a run that was kept. */
  async #repeat(folder: string, name: string): Promise<RehearsedRun | undefined> {
    const run = await readKeptRun(folder)
    const snapshot = JSON.parse(await readFile(run.world, 'utf8')) as Snapshot
    await this.#server.sandbox.restore(snapshot)
    await putStateBack(run)
    const driver = this.#createDriver({
      nameOf: () => name,
      kept: undefined,
      sessions: undefined,
      onRun: () => {},
    })
    const span = { first: run.number - 1, end: run.number }
    const { runs } = await this.#rehearse({ driver, ...span, requiredAfter: () => [] })
    return runs[0]
  }

  #createDriver({
    nameOf,
    ...own
  }: Pick<ConstructorParameters<typeof CommandDriver>[0], 'kept' | 'sessions' | 'onRun'> & {
    /** The name of the output of a run. */
    nameOf: (number: number) => string
  }): CommandDriver {
    const { rehearsed, stage, folder } = this.#parts
    const { line, settings, hasNpmEnded } = rehearsed
    return new CommandDriver({
      line,
      env: toEnvironment(this.#server, settings),
      timeoutMs: settings.timeoutMs,
      clock: stage.clock,
      signals: this.#signals,
      hasNpmEnded,
      outputOf: (number) => folder.outputOf(nameOf(number)),
      ...own,
    })
  }

  #rehearse(
    own: Pick<Parameters<typeof runRehearsal>[0], 'driver' | 'first' | 'end' | 'requiredAfter'>,
  ): Promise<JudgedRehearsal> {
    const { rehearsed, stage } = this.#parts
    const { plan, token, limits } = stage
    return runRehearsal({
      world: this.#server.sandbox.world,
      plan,
      token,
      limits,
      waive: rehearsed.settings.demands.waive,
      about: this.#about,
      realNow: Date.now,
      ...own,
    })
  }
}
