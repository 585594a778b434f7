import { fetchFrom } from './adapters/fetch.ts'
import type { SandboxRequestInit } from './adapters/fetch.ts'
import type { z } from 'zod'
import { MAXIMUM_PROJECTS } from './contract/generate.ts'
import type { Generate } from './contract/generate.ts'
import type { PolicySettings } from './contract/policies.ts'
import type { RecordOf } from './contract/records.ts'
import { DEFAULT_RATE_LIMITS } from './contract/token.ts'
import type { RateLimit } from './contract/token.ts'
import { invalidCommand, recordNotFound } from './control/command-error.ts'
import type { FaultInput } from './control/fault.ts'
import type { ListedFault } from './control/answers/listed-fault.ts'
import { listGaps } from './control/gap-list.ts'
import type { ListedGap } from './control/answers/listed-gap.ts'
import type { ClockState } from './control/answers/clock-state.ts'
import { DEFAULT_WORLD, Worlds } from './control/worlds.ts'
import type { ListedWorld } from './control/answers/listed-world.ts'
import type { WorldSettings } from './control/worlds.ts'
import { Requests } from './control/requests.ts'
import { World } from './control/world.ts'
import type { Replay } from './control/replay.ts'
import type { Session } from './control/session.ts'
import type { Snapshot } from './control/snapshots.ts'
import type { Explanation } from './engine/explanation.ts'
import type { ApiRequest, ApiResponse } from './engine/messages.ts'
import type { Fixtures } from './fixtures/parse-fixture.ts'
import type { ScenarioName } from './fixtures/scenarios/index.ts'
import {
  DefaultRateLimit,
  Latency,
  Now,
  Policies,
  parseOption,
  RandomSeed,
  requireKnown,
  Switch,
} from './options.ts'
import { listScenarios, loadScenario, readSeed } from './seeds.ts'

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
  /** Whether answers name the gaps that they rest on, in `X-Sandbox-Gaps`. They do not where it is omitted. */
  showGaps?: boolean
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
  'showGaps',
]

const ISOLATED_OPTION_NAMES = SANDBOX_OPTION_NAMES.filter(
  (name) => name !== 'latency' && name !== 'showGaps',
)

const DEFAULT_SEED = '1'

/** How many isolated worlds there may be: of the default fixture they take less than 300 MB. */
const MAXIMUM_WORLDS = 1000

/** How many requests are kept: some megabytes of them. */
const JOURNAL_SIZE = 5000

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
  /** Everything as created: records, both clocks, policies, faults, rate windows, journal. */
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
   * The world as it stands, as plain JSON to keep and to restore: records, both clocks, rate windows, faults,
   * the policies that commands have set, and the commands applied. The bearer values of tokens are in it.
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
   * All that was asked and told since the world was made or last made anew, as plain JSON for a bug report:
   * `seo-sandbox replay` plays it again. Bearer values are not in it.
   *
   * @throws CommandError where that is too much to be kept; a reset begins a new one.
   */
  session: () => Promise<Session>
  /**
   * Applies any command; what the others here come down to.
   *
   * @throws CommandError when it is wrong, or what it would come to is; nothing has changed then.
   */
  command: World['command']
  /** What was asked so far: to look at, to hold against what was expected, and to follow. */
  requests: Requests
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
  /** Worlds beside this one, for tests that run at the same time: the token of a request chooses its world. */
  worlds: SandboxWorlds
  /** What the control API steers. */
  world: World
}

/** How an isolated world is to be; in what is left out it is as the sandbox was made. */
export type IsolatedWorldOptions = Pick<
  SandboxOptions,
  'fixtures' | 'scenario' | 'generate' | 'seed' | 'now' | 'frozen' | 'policies' | 'rateLimit'
>

/** A world beside the default one. It has records, clocks, policies, faults, rate windows and a journal of its own. */
export interface IsolatedWorld {
  id: string
  /** Each bearer value of the fixture, and the one that this world has for it. */
  tokens: Record<string, string>
  /** Steers this world, and has every request answered by it. Its `worlds` are those beside the default one, as ever. */
  sandbox: Sandbox
}

/** The isolated worlds of a sandbox. */
export interface SandboxWorlds {
  /**
   * Makes one. Its tokens have the values of the fixture with an ending that nobody can guess, the same for
   * all of them; requests that show one are answered by that world, wherever they arrive. There are a
   * thousand at most: beyond that the one used least recently goes.
   *
   * @throws FixtureError, OptionError, and CommandError for more than 1,000 made-up projects.
   */
  create: (options?: IsolatedWorldOptions) => Promise<IsolatedWorld>
  /** Those there are, the oldest first. */
  list: () => ListedWorld[]
  /** Forgets one: its tokens are unknown from then on. @throws CommandError for one that there is not. */
  drop: (id: string) => void
  /** What the control API steers. */
  control: Worlds
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
  const { latency, showGaps = false } = options
  const {
    policies = {},
    rateLimits = DEFAULT_RATE_LIMITS,
    randomSeed = DEFAULT_SEED,
    ...times
  } = parseSettings(options)
  const settings = {
    ...times,
    policies,
    rateLimits,
    randomSeed,
    faults: latency === undefined ? [] : [parseOption(Latency, latency, 'latency')],
    showGaps: parseOption(Switch, showGaps, 'showGaps'),
  }
  const worlds = await Worlds.create({
    base: {
      ...settings,
      id: DEFAULT_WORLD,
      tokenSuffix: '',
      givenValues: new Set(),
      maximumGenerated: MAXIMUM_PROJECTS,
      seed: await readSeed(fixtures, options),
      readFixtures: (others) => readSeed(others as Fixtures, toGenerate(options)),
      scenarios: { list: listScenarios(), load: loadScenario },
      journalSize: JOURNAL_SIZE,
      realNow: () => Date.now(),
      timer: () => performance.now(),
    },
    readSeed: ({ fixtures: others, ...source }) =>
      readSeed(others as Fixtures | undefined, source as SandboxOptions),
    createSecret,
    maximumWorlds: MAXIMUM_WORLDS,
  })
  return steer(worlds.default, { worlds, pick: (request) => worlds.worldOf(request) })
}

/**
 * Plays a session again that a sandbox has recorded, in a world of its own.
 *
 * @param session As `sandbox.session()` gave it, or as it was read from a file.
 * @throws SessionError for what is no session of this release.
 */
export async function replay(session: unknown): Promise<Replay> {
  const [{ replaySession }, { parseSession }] = await Promise.all([
    import('./control/replay.ts'),
    import('./control/session.ts'),
  ])
  return replaySession(parseSession(session))
}

const SECRET_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const SECRET_LENGTH = 16

function createSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))
  return Array.from(bytes, (byte) => SECRET_ALPHABET[byte % SECRET_ALPHABET.length]).join('')
}

async function toWorldSettings(options: IsolatedWorldOptions): Promise<WorldSettings> {
  const fixtures = await options.fixtures
  for (const name of Object.keys(options)) {
    requireKnown(name, ISOLATED_OPTION_NAMES, 'worlds.create')
  }
  const { scenario, generate } = options
  return { fixtures, scenario, generate, ...parseSettings(options) }
}

/** What any world may be told when it is made. @throws OptionError */
function parseSettings({ seed, now, frozen, policies, rateLimit }: IsolatedWorldOptions) {
  return {
    randomSeed: seed === undefined ? undefined : parseOption(RandomSeed, seed, 'seed'),
    now: now === undefined ? undefined : parseOption(Now, now, 'now'),
    frozen: frozen === undefined ? undefined : parseOption(Switch, frozen, 'frozen'),
    policies: policies === undefined ? undefined : parseOption(Policies, policies, 'policies'),
    rateLimits:
      rateLimit === undefined ? undefined : parseOption(DefaultRateLimit, rateLimit, 'rateLimit'),
  }
}

/** What is to be made up over whichever fixtures. */
function toGenerate({ generate }: SandboxOptions): Pick<SandboxOptions, 'generate'> {
  return generate === undefined ? {} : { generate }
}

/** Steers a world; `pick` says which one answers a request. */
function steer(
  world: World,
  { worlds, pick }: { worlds: Worlds; pick: (request: ApiRequest) => World },
): Sandbox {
  const answer = (request: ApiRequest): ApiResponse => pick(request).answer(request)
  return {
    world,
    worlds: {
      control: worlds,
      create: async (options = {}) => {
        const { id, tokens, world: made } = await worlds.create(await toWorldSettings(options))
        return { id, tokens, sandbox: steer(made, { worlds, pick: () => made }) }
      },
      list: () => worlds.list(),
      drop: (id) => worlds.drop(id),
    },
    answer,
    fetch: (input, init) => fetchFrom(answer, input, init),
    command: (command) => world.command(command),
    requests: new Requests(world),
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
    session: () => world.session(),
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
