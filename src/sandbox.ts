import { toApiRequest, toResponse } from './adapters/fetch.ts'
import type { SandboxRequestInit } from './adapters/fetch.ts'
import type { PolicySettings } from './contract/policies.ts'
import type { RecordOf } from './contract/records.ts'
import { DEFAULT_RATE_LIMITS } from './contract/token.ts'
import type { RateLimit } from './contract/token.ts'
import { invalidCommand } from './control/command-error.ts'
import { World } from './control/world.ts'
import type { ClockState } from './control/world.ts'
import type { ApiRequest, ApiResponse } from './engine/messages.ts'
import { parseFixtures } from './fixtures/parse-fixture.ts'
import type { Fixtures } from './fixtures/parse-fixture.ts'
import { DefaultRateLimit, Now, Policies, parseOption, requireKnown, Switch } from './options.ts'

export interface SandboxOptions {
  /** The world to serve: an object, a YAML text, or what `loadFixtures` read. The default world if omitted. */
  fixtures?: Fixtures | Promise<Fixtures>
  /** Where the world clock starts: a date, a datetime, or relative to now. The machine's time if omitted. */
  now?: string | Date
  /** Whether the world clock stands still. */
  frozen?: boolean
  /** What to do where the specification is open, by policy name or gap id. */
  policies?: PolicySettings
  /** The limits of tokens that have none of their own: `60/min,1000/h`, `unlimited`, or as a fixture. */
  rateLimit?: string | Exclude<RateLimit, string>
}

export const SANDBOX_OPTION_NAMES = ['fixtures', 'now', 'frozen', 'policies', 'rateLimit']

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
   * Applies any command; what the others here come down to.
   *
   * @throws CommandError when it is wrong, or what it would come to is; nothing has changed then.
   */
  command: World['command']
  /** What the control API steers. */
  world: World
}

/**
 * Makes a sandbox: the Search Content and Reporting Service over a world of its own.
 *
 * @throws FixtureError with every problem of the fixtures, OptionError for an option.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const fixtures = await (options.fixtures === undefined ? readDefaultFixture() : options.fixtures)
  for (const name of Object.keys(options)) requireKnown(name, SANDBOX_OPTION_NAMES, 'createSandbox')
  const { now, frozen, policies = {}, rateLimit } = options
  const settings = {
    now: now === undefined ? undefined : parseOption(Now, now, 'now'),
    frozen: frozen === undefined ? undefined : parseOption(Switch, frozen, 'frozen'),
    policies: parseOption(Policies, policies, 'policies'),
    rateLimits:
      rateLimit === undefined
        ? DEFAULT_RATE_LIMITS
        : parseOption(DefaultRateLimit, rateLimit, 'rateLimit'),
  }
  const seed = await parseFixtures(fixtures)
  return steer(await World.create({ ...settings, seed, realNow: () => Date.now() }))
}

async function readDefaultFixture(): Promise<Fixtures> {
  const { DEFAULT_FIXTURE } = await import('./fixtures/default-fixture.ts')
  return DEFAULT_FIXTURE
}

function steer(world: World): Sandbox {
  return {
    world,
    answer: (request) => world.answer(request),
    fetch: async (input, init) => {
      const request = toApiRequest(input, init)
      return toResponse(world.answer(request), request.method)
    },
    command: (command) => world.command(command),
    reset: async () => {
      await world.command({ type: 'reset' })
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
