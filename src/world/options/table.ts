import { z } from 'zod'
import type { InputOf, Reader, ValueOf } from '../../contract/read-fields.ts'
import { DateTimeInput } from '../../contract/conventions.ts'
import { PolicySettings } from '../../contract/policy-settings.ts'
import { DEFAULT_RATE_LIMITS, toRateLimits } from '../../contract/limits.ts'
import { RateLimit, WindowLimit } from '../../contract/token.ts'
import type { Fixtures } from '../../fixtures/read-sources.ts'
import { Generate } from '../../records/generation/generate.ts'
import { FixturesInput } from '../fixtures-input.ts'
import { ArmedFault } from '../faults/fault.ts'
import { WORLD_OPTION_NAMES } from './flags.ts'
import type { FlagNameOf, WorldOptionName } from './flags.ts'
import { Switch } from './parse-option.ts'
import {
  anyValue,
  DefaultRateLimitOption,
  JournalSizeOption,
  LatencyOption,
  LocalesOption,
  NowOption,
  PathsOption,
  PoliciesOption,
  ProjectsOption,
  RandomSeedOption,
  ScenarioOption,
} from './readers.ts'

interface WorldOption {
  /** Reader for the library, the command line, the environment and the config file. */
  read: Reader<unknown, unknown>
  /** Reader for the command line, the environment and the config file, if their form differs. */
  readFlag?: Reader<unknown, unknown>
  /** Schema for the body of POST /worlds; null for an option that only the default world has. */
  json: z.ZodType | null
  /** Description of the option in that body; omitted if the schema has one. */
  description?: string
  /**
   * Form in a session; if omitted, the name in snake case with the schema of the body. Null for an option that no response
   * depends on, which sessions leave out.
   */
  session?: {
    name?: string
    schema: z.ZodType
    write?: (value: never) => unknown
    read?: (recorded: never) => unknown
  } | null
}

/**
 * Every option of a world. The types and the names of the library, the command line, the environment, the config
 * file, the body of POST /worlds, sessions and the documentation are derived from this table.
 */
const WORLD_OPTIONS = {
  /**
   * World to serve: an object, a YAML text, or the result of `loadFixtures`, also as a promise. The default world if omitted.
   */
  fixtures: {
    read: anyValue<Fixtures | Promise<Fixtures>>(),
    readFlag: PathsOption,
    json: FixturesInput,
  },
  /** Name of a scenario to serve instead of fixtures. */
  scenario: {
    read: ScenarioOption,
    json: z.string(),
    description: 'The name of a scenario, in place of fixtures',
  },
  /**
   * True to serve the demo: an agency in the middle of its work, with 40 projects that move with the world clock. It is the
   * scenario `demo`. False if omitted.
   */
  demo: {
    read: Switch,
    json: z.boolean(),
    description: 'True to serve the demo, an agency in the middle of its work',
  },
  /** Data to generate in addition to the fixtures. Without fixtures, the whole world is generated. */
  generate: {
    read: anyValue<z.input<typeof Generate>>(),
    readFlag: ProjectsOption,
    json: z.looseObject({}),
    description: 'Data to generate, as in a fixture',
  },
  /** Country of generated data or of the demo, by its locale, such as `da` or `pt_PT`, or several. `en` if omitted. */
  locale: {
    read: LocalesOption,
    json: Generate.shape.locale.removeDefault(),
    description:
      'The country of generated data or of the demo, by its locale, or a list of several',
  },
  /** Seed of all random numbers: the same seed gives the same world. `1` if omitted. */
  seed: {
    read: RandomSeedOption,
    json: z.union([z.string().min(1), z.number()]).transform(String),
    description: 'The seed of generated data',
    session: { name: 'random_seed', schema: z.string().min(1) },
  },
  /**
   * Start of the world clock: a date, a datetime, or relative to now. If omitted, the `now` of the fixture, or else the
   * machine's time.
   */
  now: {
    read: NowOption,
    json: DateTimeInput,
    description: 'Start of the world clock',
    session: { schema: DateTimeInput.optional() },
  },
  /** True to stop the world clock. If omitted, as in the fixture, which defaults to false. */
  frozen: {
    read: Switch,
    json: z.boolean(),
    description: 'True to stop the world clock',
    session: { schema: z.boolean().optional() },
  },
  /** Choices for questions that the specification leaves open, by policy name or gap id. */
  policies: {
    read: PoliciesOption,
    json: PolicySettings,
    description: 'Policies by name or id',
    session: { schema: PolicySettings },
  },
  /** Limits for tokens that have none of their own: `60/min,1000/h`, `unlimited`, or the form of a fixture. */
  rateLimit: {
    read: DefaultRateLimitOption,
    json: RateLimit.transform((limit) => toRateLimits(limit, DEFAULT_RATE_LIMITS)),
    description: 'Rate limit of tokens without one of their own',
    session: {
      name: 'rate_limits',
      schema: z.strictObject({ per_minute: WindowLimit, per_hour: WindowLimit }),
    },
  },
  /** Delay of each response: milliseconds, or `200-800`, chosen at random from the seed. None if omitted. */
  latency: {
    read: LatencyOption,
    json: null,
    session: {
      name: 'faults',
      schema: z.array(ArmedFault),
      write: (latency: ArmedFault | undefined) => (latency ? [latency] : []),
      read: ([latency]: ArmedFault[]) => latency,
    },
  },
  /** True to name the gaps that matter to a response in its header `X-Sandbox-Gaps`. False if omitted. */
  showGaps: {
    read: Switch,
    json: null,
    session: { schema: z.boolean() },
  },
  /**
   * Maximum number of requests in the journal, which keeps the latest, and of steps in a session: 1 to 100,000. 5,000 if
   * omitted. Isolated worlds keep 1,000 at most.
   */
  journal: {
    read: JournalSizeOption,
    json: null,
    session: null,
  },
} as const satisfies Record<WorldOptionName, WorldOption>

export type WorldOptionTable = typeof WORLD_OPTIONS

export type WorldOptionInputs = {
  -readonly [Name in WorldOptionName]?: InputOf<WorldOptionTable[Name]['read']>
}

type DefaultWorldOnly = {
  [Name in WorldOptionName]: WorldOptionTable[Name]['json'] extends null ? Name : never
}[WorldOptionName]

export type IsolatedOptionName = Exclude<WorldOptionName, DefaultWorldOnly>
export const ISOLATED_OPTION_NAMES = WORLD_OPTION_NAMES.filter(
  (name): name is IsolatedOptionName => WORLD_OPTIONS[name].json !== null,
)

export function optionOf(name: WorldOptionName): WorldOption {
  return WORLD_OPTIONS[name]
}

/** Returns the reader of an option for the command line, the environment and the config file. */
export function flagReaderOf(name: WorldOptionName): Reader<unknown, unknown> {
  const { read, readFlag = read } = optionOf(name)
  return readFlag
}

/** The options of a world on the command line, in the environment and in the config file, by the names of the flags. */
export type WorldFlagValues = {
  -readonly [Name in WorldOptionName as FlagNameOf<Name>]?: ValueOf<
    WorldOptionTable[Name] extends { readFlag: infer Read } ? Read : WorldOptionTable[Name]['read']
  >
}
