import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse, relative, resolve } from 'node:path'
import { withoutControls } from '../../contract/describe.ts'
import { toRateLimits } from '../../contract/rate-limits.ts'
import type { RateLimits } from '../../contract/rate-limits.ts'
import type { TokenRecord } from '../../contract/token.ts'
import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import { planRehearsal } from '../../rehearsal/plan.ts'
import type { RehearsalPlan } from '../../rehearsal/plan.ts'
import { toStart } from '../../rehearsal/plan-options.ts'
import { runRehearsal } from '../../rehearsal/run-rehearsal.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { CommandError } from '../../world/command-error.ts'
import { OptionError } from '../../world/option-error.ts'
import { flagNameOf, WORLD_OPTION_NAMES } from '../../world/option-flags.ts'
import type { Snapshot } from '../../world/snapshot.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { toEnvironment } from '../exec/environment.ts'
import { ForwardedSignals } from '../exec/forwarded-signals.ts'
import { optionsOf } from '../exec/run.ts'
import { StartError } from '../exec/start-error.ts'
import { withServer } from '../exec/with-server.ts'
import { withoutSecrets } from '../exec/without-secrets.ts'
import { watchNpm } from '../npm.ts'
import { printError, printWarning } from '../print-error.ts'
import type { ServeSettings } from '../serve-options.ts'
import { prepareReports } from '../write-reports.ts'
import { CommandDriver } from './command-driver.ts'
import { createCommandClock } from './command-clock.ts'
import type { CommandClock } from './command-clock.ts'
import { exitCodeOf } from './exit-code.ts'
import { probeClock } from './faked-clock.ts'
import type { FakedClock } from './faked-clock.ts'
import { findFlaky } from './find-flaky.ts'
import { KeptRuns, putStateBack, readKeptRun } from './kept-runs.ts'
import type { RepeatableRun } from './kept-runs.ts'
import { MonthlySessions } from './monthly-sessions.ts'
import { WORLD_SOURCES } from './options.ts'
import { openOwnFolder } from './own-folder.ts'
import { printPlan } from './print-plan.ts'
import { publish } from './publish.ts'
import { RehearsalProgress } from './rehearsal-progress.ts'
import { RunOutput } from './run-output.ts'
import { readRehearseSettings } from './settings.ts'
import type { RehearseSettings } from './settings.ts'

/** What a rehearsal begins with. */
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
  // First, so that an end of npm while the fixtures are loaded is noticed.
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
      // What the folder of a run that was kept has was changed by somebody.
      if (!(error instanceof CommandError) || !repeated) throw error
      throw new OptionError(`--from: ${error.message}`, { cause: error })
    }
  })
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

interface Stage {
  plan: RehearsalPlan
  token: TokenRecord
  /** The indexes of the first run and of the one after the last. */
  first: number
  end: number
  clock: CommandClock
  /** What the token may ask for, unless it was given more for the rehearsal. */
  limits: RateLimits
}

async function rehearseOn(server: SandboxServer, rehearsed: Rehearsed): Promise<number> {
  const { line, settings, repeated, hasNpmEnded } = rehearsed
  const { served, reports, demands, retries, timeoutMs, clientClock } = settings
  const { sandbox } = server
  const { world } = sandbox
  const stage = await setStage(sandbox, rehearsed)
  const { plan, token, first, end, clock, limits } = stage
  const progress = new RehearsalProgress(end - first, served)
  if (settings.isDryRun) return printPlan(plan.shown, served)
  const clientState =
    settings.clientState === undefined
      ? undefined
      : await openOwnFolder(settings.clientState, '--client-state')
  if (repeated && clientState !== undefined)
    await putStateBack({ ...repeated, client_state: clientState })
  const folder = await openFolder(settings)
  const warned = new Set<string>()
  const warn = (what: string) => (error: unknown) => {
    const reason =
      codeOf(error) === '' && error instanceof Error ? error.message : toFileReason(error)
    const text = withoutControls(
      `${relative('', folder) || '.'}: ${what} ${reason} The rehearsal goes on.`,
    )
    if (!warned.has(text) && served.quiet !== true) printWarning(text)
    warned.add(text)
  }
  const from = {
    client_clock: clientClock,
    client_state: clientState ?? null,
    settings: settingsToKeep(served),
    plan,
  }
  const kept = new KeptRuns({ folder, sandbox, from, onError: warn('A run is not kept.') })
  const about = {
    command: withoutSecrets(line, (text) => world.secrets.redactor.inText(text)),
    exit: null,
    world: world.secrets.redactor.inData(optionsOf(served)).data,
  }
  const sessions = new MonthlySessions({
    folder,
    sandbox,
    about: { ...about, policies: {}, require: [], waive: [] },
    onError: warn('A session is not recorded.'),
  })
  const signals = new ForwardedSignals({ goesOn: true })
  const driven = {
    line,
    env: toEnvironment(server, settings),
    timeoutMs,
    clock,
    signals,
    hasNpmEnded,
  }
  const toOutput = (name: string) =>
    new RunOutput(join(folder, `${name}.log`), { onError: warn('Its output is cut.') })
  const driver = new CommandDriver({
    ...driven,
    outputOf: (number) => toOutput(`run-${number}`),
    kept,
    sessions,
    onRun: (run) => progress.onRun(run),
  })
  const wanted = demands.require.length > 0
  const isWhole = first === 0 && end === plan.steps.length
  const common = { world, token, waive: demands.waive, about, limits, realNow: Date.now }
  const judged = await runRehearsal({
    ...common,
    plan,
    first,
    end,
    driver,
    require: (runs) => {
      if (runs < end - first) return []
      return wanted || !isWhole ? demands.require : ['delivered']
    },
  })
  progress.end()
  await sessions.end()
  if (driver.stop instanceof StartError && judged.runs.length === 1) {
    await rm(folder, { recursive: true, force: true })
    printError(driver.stop.message)
    return driver.stop.exitCode
  }
  const found = judged.runs.filter(({ findings }) => findings.length > 0)
  const numbers = await kept.finish(new Set(found.map(({ number }) => number)))
  const runs = await findFlaky(judged.runs, numbers, {
    retries,
    isStopped: () => driver.isStopped(),
    repeat: async (number, attempt) => {
      const repeatable = await readKeptRun(kept.folderOf(number))
      await sandbox.restore(JSON.parse(await readFile(repeatable.world, 'utf8')) as Snapshot)
      await putStateBack(repeatable)
      const again = new CommandDriver({
        ...driven,
        outputOf: () => toOutput(`run-${number}.retry-${attempt}`),
        kept: undefined,
        sessions: undefined,
        onRun: () => {},
      })
      const { runs: repeatedRuns } = await runRehearsal({
        ...common,
        plan,
        first: number - 1,
        end: number,
        driver: again,
        require: () => [],
      })
      return repeatedRuns[0]
    },
  })
  const review: JudgedRehearsal = { ...judged, runs }
  const code = exitCodeOf(review, { stop: driver.stop, received: signals.received })
  const isTemporary = reports.length === 0
  await publish(review, {
    folder,
    kept: numbers,
    failed: driver.failed,
    line: about.command,
    settings,
  })
  if (driver.stop instanceof StartError) printError(driver.stop.message)
  if (isTemporary && code === 0) await rm(folder, { recursive: true, force: true })
  return code
}

/** Has the world begin where the plan does, and plans. */
async function setStage(
  sandbox: Sandbox,
  { settings, repeated, faked }: Rehearsed,
): Promise<Stage> {
  const { served, planned, clientClock, until } = settings
  const clock = createCommandClock(clientClock, { sandbox, faked })
  const { world } = sandbox
  const limitsOf = ({ rate_limit }: TokenRecord) =>
    toRateLimits(rate_limit, world.options.settings.rateLimit)
  if (repeated) {
    const { plan, number } = repeated
    const token = tokenOf(sandbox)
    return { plan, token, first: number - 1, end: number, clock, limits: limitsOf(token) }
  }
  const startMs = toStart(
    {
      startMs: planned.startMs,
      loadedMs: Date.parse(world.origin.loadedAt),
      realMs: Date.now(),
    },
    '--start',
  )
  await clock.begin(startMs)
  const limits = limitsOf(tokenOf(sandbox))
  if (!clock.isFaked) {
    // What it has to wait for would take real time.
    const { id } = tokenOf(sandbox)
    const patch = { rate_limit: { per_minute: 'unlimited', per_hour: 'unlimited' } }
    await sandbox.command({ type: 'record.patch', collection: 'tokens', id, patch })
  }
  const token = tokenOf(sandbox)
  const plan = planRehearsal({
    ...planned,
    seed: served.seed ?? DEFAULT_SEED,
    startMs,
    records: world.records,
    token,
    isRealTime: !clock.isFaked,
  })
  const { length } = plan.steps
  return { plan, token, first: 0, end: Math.min(until ?? length, length), clock, limits }
}

const DEFAULT_SEED = '1'

/** @throws OptionError for a world without one that can be used */
function tokenOf({ world }: Sandbox): TokenRecord {
  const token = findUsableToken(world.records.all('tokens'))
  if (token) return token
  throw new OptionError(
    'The world has no token that this machine may use. Add an active one to its fixture.',
  )
}

/** Where the output of the runs, sessions, and runs with a finding are kept: beside the first report, or in a temporary folder. */
async function openFolder({ reports: [first], from }: RehearseSettings): Promise<string> {
  if (!first) return mkdtemp(join(tmpdir(), 'seo-sandbox-rehearsal-'))
  const path = join(dirname(first.path), `${parse(first.path).name}-runs`)
  if (from !== undefined && !relative(resolve(path), resolve(from)).startsWith('..'))
    throw new OptionError(
      `--report ${withoutControls(first.path)}: ${withoutControls(path)} has the run of --from, and would be emptied. Choose another name.`,
    )
  return openOwnFolder(path, '--report')
}

/** The options of the world that its snapshot does not have. */
function settingsToKeep(served: ServeSettings): Record<string, unknown> {
  const values: Record<string, unknown> = served
  const names = WORLD_OPTION_NAMES.map(flagNameOf).filter(
    (name) => !OF_A_SNAPSHOT.includes(name) && values[name] !== undefined,
  )
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

const OF_A_SNAPSHOT: readonly string[] = [...WORLD_SOURCES, 'now', 'frozen']
