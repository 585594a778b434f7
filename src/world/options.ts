import { z } from 'zod'
import { DateTimeInput } from '../contract/moment-inputs.ts'
import { PolicySettings } from '../contract/policy-settings.ts'
import { DEFAULT_RATE_LIMITS, toRateLimits } from '../contract/rate-limits.ts'
import { RateLimit, WindowLimit } from '../contract/token.ts'
import type { Fixtures } from '../fixtures/read-sources.ts'
import { Generate } from '../records/generation/generate.ts'
import { FixturesInput } from './fixtures-input.ts'
import { ArmedFault } from './faults/fault.ts'
import { DEFAULT_JOURNAL, SETTING_DEFAULTS } from './setting-defaults.ts'
import { Switch } from './parse-option.ts'
import {
  DefaultRateLimit,
  JournalSize,
  Latency,
  Locales,
  Now,
  Paths,
  Policies,
  Projects,
  RandomSeed,
  Scenario,
} from './option-schemas.ts'

/** A command-line option, which is also an environment variable and a key of the config file. */
export interface FlagDefinition {
  /** The argument of the flag, as the help shows it; a switch has none. */
  value?: string
  /** Whether it is written once for each of several values. */
  repeats?: true
  description: string
  schema: z.ZodType
  /** Its value where nothing sets it. */
  default?: unknown
}

/** The definition of an option of a world. */
interface WorldOption {
  /** For the library, the command line, the environment and the config file. */
  schema: z.ZodType
  /** For the body of POST /worlds; null for an option that only the default world has. */
  json: z.ZodType | null
  /** Its description there; not needed where the schema has one. */
  description?: string
  /** The name of its flag and of its key in the config file, where that is not its own name in kebab case. */
  flagName?: string
  /** Its flag, with the schema above unless it has its own. */
  flag: Omit<FlagDefinition, 'schema'> & { schema?: z.ZodType }
  /** Converts the value of its flag, where the two differ. */
  fromFlag?: (value: never) => unknown
  /** Its value where nothing sets it; of a setting, from SETTING_DEFAULTS. */
  default?: unknown
  /**
   * Its form in a session, where that is not its name in snake case with the schema of the body; null for one that no
   * response depends on, which a session leaves out.
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
   * The world to serve: an object, a YAML text, or what `loadFixtures` returns; a promise of that is accepted. The default
   * world if omitted.
   */
  fixtures: {
    schema: z.custom<Fixtures | Promise<Fixtures>>(),
    json: FixturesInput,
    flag: {
      value: '<path>',
      repeats: true,
      description: 'a fixture file or folder to serve; several are merged in order',
      schema: Paths,
    },
  },
  /** The name of a scenario to serve instead of fixtures. */
  scenario: {
    schema: Scenario,
    json: z.string(),
    description: 'The name of a scenario, in place of fixtures',
    flag: {
      value: '<name>',
      description: 'a small world that shows one edge case; seo-sandbox scenarios lists them',
    },
  },
  /**
   * Whether to serve the demo: an agency in the middle of its work, with 40 projects that move with the world clock. It is the
   * scenario `demo`. False if omitted.
   */
  demo: {
    schema: Switch,
    json: z.boolean(),
    description: 'Whether to serve the demo, an agency in the middle of its work',
    flag: { description: 'a lifelike agency with 40 projects that move as time passes' },
  },
  /** What to generate in addition to the fixtures; without fixtures the whole world is generated. */
  generate: {
    schema: z.custom<z.input<typeof Generate>>(),
    json: z.looseObject({}),
    description: 'What to generate, as in a fixture',
    flagName: 'projects',
    flag: {
      value: '<number>',
      description: 'how many projects to generate',
      schema: Projects,
    },
    fromFlag: (projects: number) => ({ projects }),
  },
  /** The locale of what is generated or of the demo: `da`, `de`, `en`, `nl` or `sv`, or several of them. `en` if omitted. */
  locale: {
    schema: Locales,
    json: Generate.shape.locale.removeDefault(),
    description: 'The locale of what is generated or of the demo, or a list of several',
    flag: {
      value: '<name>',
      repeats: true,
      description:
        'da, de, en, nl or sv, of the demo or what is generated; several for an agency of several countries',
    },
  },
  /** The seed of all random numbers: the same seed, the same world. `1` if omitted. */
  seed: {
    ...SETTING_DEFAULTS.seed,
    schema: RandomSeed,
    json: z.union([z.string().min(1), z.number()]).transform(String),
    description: 'The seed of generated data',
    flag: {
      value: '<seed>',
      description: 'the seed of generated data; the same seed gives the same world',
    },
    session: { name: 'random_seed', schema: z.string().min(1) },
  },
  /** Where the world clock starts: a date, a datetime, or relative to now. The machine's time if omitted. */
  now: {
    schema: Now,
    json: DateTimeInput,
    description: 'Where the world clock starts',
    flag: {
      value: '<datetime>',
      description: 'where the world clock starts, like 2026-03-15 or now-3d',
    },
    session: { schema: DateTimeInput },
  },
  /** Whether the world clock stands still. */
  frozen: {
    schema: Switch,
    json: z.boolean(),
    description: 'Whether the world clock stands still',
    flag: { description: 'let the world clock stand still' },
    session: { schema: z.boolean() },
  },
  /** What to do where the specification leaves a question open, by policy name or gap id. */
  policies: {
    ...SETTING_DEFAULTS.policies,
    schema: Policies,
    json: PolicySettings,
    description: 'Policies by name or id',
    flagName: 'policy',
    flag: {
      value: '<name=value>',
      repeats: true,
      description: 'what to do where the specification leaves a question open',
    },
    session: { schema: PolicySettings },
  },
  /** The limits of tokens that have none of their own: `60/min,1000/h`, `unlimited`, or the form of a fixture. */
  rateLimit: {
    ...SETTING_DEFAULTS.rateLimit,
    schema: DefaultRateLimit,
    json: RateLimit.transform((limit) => toRateLimits(limit, DEFAULT_RATE_LIMITS)),
    description: 'For tokens without one of their own',
    flag: {
      value: '<limit>',
      description: 'for tokens without one of their own: 60/min,1000/h or unlimited',
    },
    session: {
      name: 'rate_limits',
      schema: z.strictObject({ per_minute: WindowLimit, per_hour: WindowLimit }),
    },
  },
  /**
   * How long each response is delayed: milliseconds, or `200-800`, chosen at random from the seed. Not at all if
   * omitted.
   */
  latency: {
    schema: Latency,
    json: null,
    flag: {
      value: '<ms>',
      description:
        'how long each response is delayed: 200, or 200-800, chosen at random from the seed',
    },
    session: {
      name: 'faults',
      schema: z.array(ArmedFault),
      write: (latency: ArmedFault | undefined) => (latency ? [latency] : []),
      read: ([latency]: ArmedFault[]) => latency,
    },
  },
  /** Whether responses name the gaps that matter to them, in `X-Sandbox-Gaps`. False if omitted. */
  showGaps: {
    ...SETTING_DEFAULTS.showGaps,
    schema: Switch,
    json: null,
    flag: { description: 'name the gaps that matter to each response, in X-Sandbox-Gaps' },
    session: { schema: z.boolean() },
  },
  /**
   * How many requests the journal keeps, the latest, and how many steps a session may have: 1 to 100,000. 5,000 if
   * omitted. Isolated worlds keep 1,000 at most.
   */
  journal: {
    ...SETTING_DEFAULTS.journal,
    schema: JournalSize,
    json: null,
    flag: {
      value: '<number>',
      description: 'how many requests the journal keeps, and how many steps a session may have',
      default: DEFAULT_JOURNAL,
    },
    session: null,
  },
} as const satisfies Record<string, WorldOption>

export type WorldOptionTable = typeof WORLD_OPTIONS
export type WorldOptionName = keyof WorldOptionTable
export const WORLD_OPTION_NAMES = Object.keys(WORLD_OPTIONS) as WorldOptionName[]

/** The options of a world as the library takes them. */
export type WorldOptionInputs = {
  -readonly [Name in WorldOptionName]?: z.input<WorldOptionTable[Name]['schema']>
}

/** The options that only the default world has. */
type DefaultWorldOnly = {
  [Name in WorldOptionName]: WorldOptionTable[Name]['json'] extends null ? Name : never
}[WorldOptionName]

/** The names of the options that an isolated world may set. */
export type IsolatedOptionName = Exclude<WorldOptionName, DefaultWorldOnly>
export const ISOLATED_OPTION_NAMES = WORLD_OPTION_NAMES.filter(
  (name): name is IsolatedOptionName => WORLD_OPTIONS[name].json !== null,
)

export function optionOf(name: WorldOptionName): WorldOption {
  return WORLD_OPTIONS[name]
}

/** The name of an option on the command line and in the config file. */
export function flagNameOf(name: WorldOptionName): string {
  return optionOf(name).flagName ?? toWords(name, '-')
}

/** The name of an option in the body of POST /worlds. */
export function bodyNameOf(name: WorldOptionName): string {
  return toWords(name, '_')
}

function toWords(camelCase: string, separator: string): string {
  return camelCase.replaceAll(/[A-Z]/g, (letter) => `${separator}${letter.toLowerCase()}`)
}

/** A name in camel case as words with a separator between them. */
export type Words<
  Text extends string,
  Separator extends string,
> = Text extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `${Separator}${Lowercase<Letter>}`}${Words<Rest, Separator>}`
  : Text

type FlagNameOf<Name extends WorldOptionName> = WorldOptionTable[Name] extends {
  flagName: infer FlagName extends string
}
  ? FlagName
  : Words<Name, '-'>

/** The options of a world as the command line, the environment and the config file set them, by the names of the flags. */
export type WorldFlagValues = {
  -readonly [Name in WorldOptionName as FlagNameOf<Name>]?: z.output<
    WorldOptionTable[Name]['flag'] extends { schema: infer Schema extends z.ZodType }
      ? Schema
      : WorldOptionTable[Name]['schema']
  >
}
