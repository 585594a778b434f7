import { fetchFrom } from './adapters/fetch.ts'
import type { SandboxRequestInit } from './adapters/fetch.ts'
import type { z } from 'zod'
import type { Seed } from './contract/fixture.ts'
import { Generate } from './contract/generate.ts'
import type { PolicySettings } from './contract/policies.ts'
import type { RecordOf } from './contract/records.ts'
import { DEFAULT_RATE_LIMITS } from './contract/token.ts'
import type { RateLimit } from './contract/token.ts'
import { invalidCommand, recordNotFound } from './control/command-error.ts'
import type { FaultInput } from './control/fault.ts'
import type { ListedFault } from './control/faults.ts'
import { listGaps } from './control/gap-list.ts'
import type { ListedGap } from './control/gap-list.ts'
import type { ClockState } from './control/journal.ts'
import { World } from './control/world.ts'
import type { Snapshot } from './control/snapshots.ts'
import type { Explanation } from './engine/explanation.ts'
import type { ApiRequest, ApiResponse } from './engine/messages.ts'
import { parseFixtures } from './fixtures/parse-fixture.ts'
import type { Fixtures } from './fixtures/parse-fixture.ts'
import { SCENARIOS } from './fixtures/scenarios/index.ts'
import type { ScenarioName } from './fixtures/scenarios/index.ts'
import {
  DefaultRateLimit,
  Latency,
  Now,
  OptionError,
  Policies,
  parseOption,
  RandomSeed,
  requireKnown,
  Scenario,
  Switch,
} from './options.ts'

export interface SandboxOptions {
  /** The world to serve: an object, a YAML text, or what `loadFixtures` read. The default world if omitted. */
  fixtures?: Fixtures | Promise<Fixtures>
  /** The name of a scenario to serve instead of fixtures. */
  scenario?: ScenarioName
  /** What to make up, over what the fixtures say; without fixtures the world is made up alone. */
  generate?: z.input<typeof Generate>
  /** What random numbers come from: the same seed, the same world. `1` if omitted. */
  seed?: string | number
  /** Where the world clock starts: a date, a datetime, or relative to now. The machine's time if omitted. */
  now?: string | Date
  /** Whether the world clock stands still. */
  frozen?: boolean
  /** What to do where the specification is open, by policy name or gap id. */
  policies?: PolicySettings
  /** The limits of tokens that have none of their own: `60/min,1000/h`, `unlimited`, or as a fixture. */
  rateLimit?: string | Exclude<RateLimit, string>
  /** How long each answer is held back: milliseconds, or `200-800`, drawn by the seed. Not at all if omitted. */
  latency?: number | string
}

export const SANDBOX_OPTION_NAMES = [
  'fixtures',
  'scenario',
  'generate',
  'seed',
  'now',
  'frozen',
  'policies',
  'rateLimit',
  'latency',
]

const DEFAULT_SEED = '1'

/** How many requests are kept: some megabytes of them. */
const JOURNAL_SIZE = 10_000

/** Moves the time of a sandbox. */
export interface SandboxClock {
  /** Re-dates the world clock: a date, a datetime, or relative to it. The rate clock stays. */
  set: (now: string | Date) => Promise<ClockState>
  /** Moves both clocks on by an ISO 8601 duration, or milliseconds. */
  advance: (by: string | number) => Promise<ClockState>
  /** Stops the world clock, or lets it run on. */
  freeze: (frozen?: boolean) => Promise<ClockState>
  /** Both clocks as they stand. */
  read: () => ClockState
}

/** The API in this process, over a world of its own. */
export interface Sandbox {
  /**
   * Answers a request as the API does, without a socket. A WHATWG fetch function: it may be passed to
   * any client that takes one. A path alone will do for the URL.
   */
  fetch: (input: string | URL | Request, init?: SandboxRequestInit) => Promise<Response>
  /** The same in plain data, for adapters. */
  answer: (request: ApiRequest) => ApiResponse
  /** Everything as created: records, both clocks, rate windows. */
  reset: () => Promise<void>
  clock: SandboxClock
  reports: {
    /** Changes fields of the report with that number, in the fixture's form. */
    set: (
      report: { project: number; report_number: number },
      fields: Partial<RecordOf<'reports'>>,
    ) => Promise<RecordOf<'reports'>>
  }
  /**
   * The world as it stands, as plain JSON to keep and to restore: records, both clocks, rate windows and
   * the commands applied. The bearer values of tokens are in it.
   */
  snapshot: () => Promise<Snapshot>
  /**
   * Makes the world what it was when the snapshot was taken: to any request it has the same answer as
   * then. The world clock goes on from where it stood, and open rate windows with the time that they had
   * left; `Date` and the rate clock stay with the machine's. A reset still goes back to the world as created.
   *
   * @throws CommandError for what is no snapshot, or one of another version; nothing has changed then.
   */
  restore: (snapshot: Snapshot) => Promise<void>
  /**
   * Applies any command; what the others here come down to.
   *
   * @throws CommandError when it is wrong, or what it would come to is; nothing has changed then.
   */
  command: World['command']
  /** The faults that befall answers. A reset takes them back to those of the options. */
  faults: SandboxFaults
  /** What is open in the specification, and what this sandbox does there. */
  readonly gaps: ListedGap[]
  /**
   * Why `latest` and `last-generated` of a project answer with the reports that they do, and when that
   * next changes.
   *
   * @throws CommandError for a project that there is not.
   */
  explain: (project: number) => Explanation
  /** What the control API steers. */
  world: World
}

/** Arms and disarms faults. */
export interface SandboxFaults {
  /** Arms one. @throws CommandError for an unknown kind, endpoint, token or project. */
  add: (fault: FaultInput) => Promise<ListedFault>
  /** Arms these in place of all there are. */
  set: (faults: readonly FaultInput[]) => Promise<ListedFault[]>
  remove: (id: number) => Promise<ListedFault>
  /** Disarms all of them. */
  clear: () => Promise<void>
  /** Those armed, with how often each has fired and whether it still can. */
  list: () => ListedFault[]
}

/**
 * Makes a sandbox: the Search Content and Reporting Service over a world of its own.
 *
 * @throws FixtureError with every problem of the fixtures, OptionError for an option.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const fixtures = await options.fixtures
  for (const name of Object.keys(options)) requireKnown(name, SANDBOX_OPTION_NAMES, 'createSandbox')
  const { now, frozen, policies = {}, rateLimit, latency, seed = DEFAULT_SEED } = options
  const settings = {
    now: now === undefined ? undefined : parseOption(Now, now, 'now'),
    frozen: frozen === undefined ? undefined : parseOption(Switch, frozen, 'frozen'),
    policies: parseOption(Policies, policies, 'policies'),
    rateLimits:
      rateLimit === undefined
        ? DEFAULT_RATE_LIMITS
        : parseOption(DefaultRateLimit, rateLimit, 'rateLimit'),
    randomSeed: parseOption(RandomSeed, seed, 'seed'),
    faults: latency === undefined ? [] : [parseOption(Latency, latency, 'latency')],
  }
  const world = await World.create({
    ...settings,
    seed: await readSeed(fixtures, options),
    readFixtures: (others) => readSeed(others as Fixtures, toGenerate(options)),
    scenarios: { list: listScenarios(), load: loadScenario },
    journalSize: JOURNAL_SIZE,
    realNow: () => Date.now(),
    timer: () => performance.now(),
  })
  return steer(world)
}

/** What is to be made up over whichever fixtures. */
function toGenerate({ generate }: SandboxOptions): Pick<SandboxOptions, 'generate'> {
  return generate === undefined ? {} : { generate }
}

/** The world to begin with: a scenario, fixtures, or the default one, and what is to be made up. */
async function readSeed(
  fixtures: Fixtures | undefined,
  { scenario, generate }: Pick<SandboxOptions, 'scenario' | 'generate'>,
): Promise<Seed> {
  if (scenario !== undefined) {
    if (fixtures === undefined && generate === undefined) return loadScenario(scenario)
    throw new OptionError(
      'scenario: A scenario is a whole world. Leave fixtures and generate out, or the scenario.',
    )
  }
  if (generate === undefined) return fixtures ? parseFixtures(fixtures) : loadDefault()
  const seed = await parseFixtures(fixtures ?? { version: 1 })
  const asked: unknown = typeof generate === 'object' ? { ...seed.generate, ...generate } : generate
  return { ...seed, generate: parseOption(Generate, asked, 'generate') }
}

function listScenarios(): { name: string; purpose: string }[] {
  return Object.entries(SCENARIOS).map(([name, { purpose }]) => ({ name, purpose }))
}

/** Those read so far: a seed never changes, and worlds of the same one share their records. */
const READ_SEEDS = new Map<string, Promise<Seed>>()

function readOnce(name: string, load: () => Promise<Fixtures>): Promise<Seed> {
  const seed = READ_SEEDS.get(name) ?? load().then(parseFixtures)
  READ_SEEDS.set(name, seed)
  return seed
}

/** @throws OptionError for a name that there is not. */
async function loadScenario(name: string): Promise<Seed> {
  const scenario = parseOption(Scenario, name, 'scenario')
  return readOnce(scenario, SCENARIOS[scenario].load)
}

function loadDefault(): Promise<Seed> {
  return readOnce('', async () => {
    const { DEFAULT_FIXTURE } = await import('./fixtures/default-fixture.ts')
    return DEFAULT_FIXTURE
  })
}

function steer(world: World): Sandbox {
  return {
    world,
    answer: (request) => world.answer(request),
    fetch: (input, init) => fetchFrom((request) => world.answer(request), input, init),
    command: (command) => world.command(command),
    reset: async () => {
      await world.command({ type: 'reset' })
    },
    faults: {
      add: (fault) => world.command({ type: 'fault.add', fault }),
      set: (faults) => world.command({ type: 'fault.set', faults: [...faults] }),
      remove: (id) => world.command({ type: 'fault.remove', id }),
      clear: async () => {
        await world.command({ type: 'fault.set', faults: [] })
      },
      list: () => world.faults,
    },
    get gaps() {
      return listGaps(world.policies)
    },
    explain: (project) => {
      const explanation = world.explain(project)
      if (explanation) return explanation
      throw recordNotFound(`There is no project ${project}.`)
    },
    snapshot: () => world.snapshot(),
    restore: async (snapshot) => {
      await world.command({ type: 'snapshot.restore', snapshot })
    },
    clock: {
      set: async (now) => world.command({ type: 'clock.set', now: toText(now) }),
      advance: (by) => world.command({ type: 'clock.advance', by }),
      freeze: (frozen = true) => world.command({ type: 'clock.freeze', frozen }),
      read: () => world.clock,
    },
    reports: {
      set: async (report, fields) => {
        const { record } = await world.patchReport(report, fields)
        return record as RecordOf<'reports'>
      },
    },
  }
}

/** @throws CommandError for a date that is none. */
function toText(now: string | Date): string {
  if (typeof now === 'string') return now
  if (!Number.isNaN(now.getTime())) return now.toISOString()
  throw invalidCommand({ path: ['now'], message: 'This Date is invalid. Give one that exists.' })
}
