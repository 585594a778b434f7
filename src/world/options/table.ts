import type { z } from 'zod'
import { DEFAULT_RATE_LIMITS } from '../../contract/limits.ts'
import { LOCALES_BY_COUNTRY } from '../../contract/locale-names.ts'
import type { InputOf, Reader, ValueOf } from '../../contract/read-fields.ts'
import type { ArmedFault } from '../faults/fault.ts'
import type * as Validators from './validators.ts'

/** Returns a reader or a schema of `validators.ts`. That module is loaded on demand, because it needs Zod. */
type OnDemand<Validator> = (validators: typeof Validators) => Validator

/** Description of an option of the command line, for its help and its error messages. */
export interface FlagText {
  /** Argument of the flag in the help; omitted for a switch. */
  value?: string
  /** True if the flag can be repeated for several values. */
  repeats?: true
  description: string
  /** Page of the documentation about the option; if omitted, the page of the command. */
  page?: string
  /** Default for the help to show; omitted if the description suffices. */
  default?: unknown
}

interface WorldFlag extends FlagText {
  /** Name of the flag and of the key in the config file; if omitted, the option's own name in kebab case. */
  name?: string
  /** Converts the value of the flag to that of the option; omitted if they are the same. */
  toOption?: (value: never) => unknown
}

interface Setting {
  /** Default value; if omitted, the setting may be undefined. */
  default?: unknown
  /**
   * Combines the default world's value with a world's own value; if omitted, the world's own value replaces the default
   * world's.
   */
  merge?: (base: never, own: never) => unknown
}

interface WorldOption {
  flag: WorldFlag
  /** Reader for the library and, without `readFlag`, for the command line, the environment and the config file. */
  read: OnDemand<Reader<unknown, unknown>>
  /** Reader for the command line, the environment and the config file; if omitted, `read`. */
  readFlag?: OnDemand<Reader<unknown, unknown>>
  /** Field in the body of POST /worlds; omitted for an option that only the default world has. */
  body?: OnDemand<z.ZodType>
  /** Setting of a running world; omitted for an option that selects the source of the world's records. */
  setting?: Setting
  /** Field in a session; omitted for an option that no response depends on, or that the seed of the session contains. */
  session?: {
    /** Name of the field; if omitted, the option's own name in snake case. */
    name?: string
    schema: OnDemand<z.ZodType>
    write?: (value: never) => unknown
    read?: (recorded: never) => unknown
  }
}

const DEFAULT_JOURNAL_REQUESTS = 5000

/**
 * Every option of a world. The library, the command line, the environment, the config file, the body of POST /worlds,
 * sessions and the documentation derive their types, names and defaults from this table.
 */
const WORLD_OPTIONS = {
  /**
   * World to serve: an object, a YAML string, or the result of `loadFixtures`, also as a promise. If omitted, the world is that of
   * `scenario`, `demo` or `generate`, or else the default world.
   */
  fixtures: {
    flag: {
      page: 'docs/fixtures.md',
      value: '<path>',
      repeats: true,
      description: 'a fixture file or folder to serve; several are merged in order',
    },
    read: ({ FixturesOption }) => FixturesOption,
    readFlag: ({ PathsOption }) => PathsOption,
    body: ({ FixturesInput }) => FixturesInput,
  },
  /** Name of a scenario to serve instead of fixtures. */
  scenario: {
    flag: {
      page: 'docs/fixtures.md',
      value: '<name>',
      description: 'a small world that shows one edge case; seo-sandbox scenarios lists them',
    },
    read: ({ ScenarioOption }) => ScenarioOption,
    body: ({ ScenarioInput }) =>
      ScenarioInput.describe('The name of a scenario, in place of fixtures'),
  },
  /**
   * True to serve the demo: an agency in the middle of its work, with 40 projects that move with the world clock. It is the
   * scenario `demo`. False if omitted.
   */
  demo: {
    flag: {
      page: 'docs/fixtures.md',
      description: 'a lifelike agency with 40 projects that move as time passes',
    },
    read: ({ Switch }) => Switch,
    body: ({ TrueOrFalse }) =>
      TrueOrFalse.describe('True to serve the demo, an agency in the middle of its work'),
  },
  /** Data to generate in addition to the fixtures. Without fixtures, the whole world is generated. */
  generate: {
    flag: {
      page: 'docs/fixtures.md',
      name: 'projects',
      value: '<number>',
      description:
        'number of projects to generate over all agencies; a token sees those of its own agency',
      toOption: (projects: number) => ({ projects }),
    },
    read: ({ GenerateOption }) => GenerateOption,
    readFlag: ({ ProjectsOption }) => ProjectsOption,
    body: ({ GenerateInput }) => GenerateInput.describe('Data to generate, as in a fixture'),
  },
  /** Country of generated data or of the demo, by its locale, such as `da` or `pt_PT`, or a list of several. `en` if omitted. */
  locale: {
    flag: {
      page: 'docs/fixtures.md',
      value: '<name>',
      repeats: true,
      description: `the country of the demo or of generated data, or several: ${LOCALES_BY_COUNTRY}`,
    },
    read: ({ LocalesOption }) => LocalesOption,
    body: ({ LocalesInput }) =>
      LocalesInput.describe(
        'The country of generated data or of the demo, by its locale, or a list of several',
      ),
  },
  /** Seed of all random numbers: the same seed gives the same world. `1` if omitted. */
  seed: {
    flag: {
      page: 'docs/fixtures.md',
      value: '<seed>',
      description: 'the seed of generated data; the same seed gives the same world',
    },
    read: ({ RandomSeedOption }) => RandomSeedOption,
    body: ({ RandomSeedInput }) => RandomSeedInput.describe('The seed of generated data'),
    setting: { default: '1' },
    session: { name: 'random_seed', schema: ({ RandomSeed }) => RandomSeed },
  },
  /**
   * Start of the world clock: a date, a datetime, or relative to now. If omitted, the `now` of the fixture, or else the
   * machine's time.
   */
  now: {
    flag: {
      page: 'docs/time-and-reports.md',
      value: '<datetime>',
      description: 'start of the world clock, like 2026-03-15 or now-3d',
    },
    read: ({ NowOption }) => NowOption,
    body: ({ DateTimeInput }) => DateTimeInput.describe('Start of the world clock'),
    setting: {},
    session: { schema: ({ DateTimeInput }) => DateTimeInput.optional() },
  },
  /** True to stop the world clock. If omitted, the `frozen` of the fixture, or else false. */
  frozen: {
    flag: { page: 'docs/time-and-reports.md', description: 'stop the world clock' },
    read: ({ Switch }) => Switch,
    body: ({ TrueOrFalse }) => TrueOrFalse.describe('True to stop the world clock'),
    setting: {},
    session: { schema: ({ TrueOrFalse }) => TrueOrFalse.optional() },
  },
  /** Choices for questions that the specification leaves open, by policy name or gap id. */
  policies: {
    flag: {
      page: 'docs/policies.md',
      name: 'policy',
      value: '<name=value>',
      repeats: true,
      description: 'behaviour for a question that the specification leaves open',
    },
    read: ({ PoliciesOption }) => PoliciesOption,
    body: ({ PolicySettings }) => PolicySettings.describe('Policies by name or id'),
    setting: { default: {}, merge: (base: object, own: object) => ({ ...base, ...own }) },
    session: { schema: ({ PolicySettings }) => PolicySettings },
  },
  /**
   * Limits for tokens that have none of their own: `60/min,1000/h`, `unlimited`, or as in a fixture. 60 a minute and 1,000 an hour
   * if omitted.
   */
  rateLimit: {
    flag: {
      page: 'docs/time-and-reports.md',
      value: '<limit>',
      description: 'rate limit of tokens without one of their own, like 60/min,1000/h or unlimited',
    },
    read: ({ DefaultRateLimitOption }) => DefaultRateLimitOption,
    body: ({ RateLimitInput }) =>
      RateLimitInput.describe('Rate limit of tokens without one of their own'),
    setting: { default: DEFAULT_RATE_LIMITS },
    session: { name: 'rate_limits', schema: ({ WindowLimits }) => WindowLimits },
  },
  /** Delay of each response: milliseconds, or `200-800`, chosen at random from the seed. None if omitted. */
  latency: {
    flag: {
      page: 'docs/faults.md',
      value: '<ms>',
      description: 'delay of each response: 200, or 200-800, chosen at random from the seed',
    },
    read: ({ LatencyOption }) => LatencyOption,
    setting: {},
    session: {
      name: 'faults',
      schema: ({ Latencies }) => Latencies,
      write: (latency: ArmedFault | undefined) => (latency ? [latency] : []),
      read: ([latency]: ArmedFault[]) => latency,
    },
  },
  /** True to name the gaps that matter to a response in its header `X-Sandbox-Gaps`. False if omitted. */
  showGaps: {
    flag: {
      page: 'docs/policies.md',
      description: 'name the gaps that matter to each response, in X-Sandbox-Gaps',
    },
    read: ({ Switch }) => Switch,
    setting: { default: false },
    session: { schema: ({ TrueOrFalse }) => TrueOrFalse },
  },
  /**
   * Maximum number of requests in the journal, which keeps the latest, and of steps in a session: 1 to 100,000. 5,000 if
   * omitted. Isolated worlds keep 1,000 at most.
   */
  journal: {
    flag: {
      page: 'docs/journal.md',
      value: '<number>',
      description: 'maximum number of requests in the journal, and of steps in a session',
      default: DEFAULT_JOURNAL_REQUESTS,
    },
    read: ({ JournalSizeOption }) => JournalSizeOption,
    setting: { default: DEFAULT_JOURNAL_REQUESTS },
  },
} as const satisfies Record<string, WorldOption>

export type WorldOptionTable = typeof WORLD_OPTIONS
export type WorldOptionName = keyof WorldOptionTable
export const WORLD_OPTION_NAMES = Object.keys(WORLD_OPTIONS) as WorldOptionName[]

export function optionOf(name: WorldOptionName): WorldOption {
  return WORLD_OPTIONS[name]
}

/** Names of the options with a certain part, such as a field in a session. */
type NameWith<Part extends keyof WorldOption> = {
  [Name in WorldOptionName]: WorldOptionTable[Name] extends Record<Part, unknown> ? Name : never
}[WorldOptionName]

function namesWith<Part extends keyof WorldOption>(part: Part): NameWith<Part>[] {
  return WORLD_OPTION_NAMES.filter((name): name is NameWith<Part> => part in WORLD_OPTIONS[name])
}

/** Name of an option that is a setting of a running world, not the source of its records. */
export type SettingName = NameWith<'setting'>
export const SETTING_NAMES = namesWith('setting')

/** Name of an option of an isolated world. */
export type IsolatedOptionName = NameWith<'body'>
export const ISOLATED_OPTION_NAMES = namesWith('body')

/** Name of a setting that a session contains. */
export type RecordedName = NameWith<'session'>
export const RECORDED_NAMES = namesWith('session')

/** The validated options of a running world. Options without a default may be undefined. */
export type WorldSettings = {
  -readonly [Name in SettingName]:
    | ValueOf<ReturnType<WorldOptionTable[Name]['read']>>
    | (WorldOptionTable[Name]['setting'] extends { default: unknown } ? never : undefined)
}

export type PartialSettings = { [Name in SettingName]?: WorldSettings[Name] | undefined }

/** Completes settings with `base`, the settings of the default world; if it is omitted, with the defaults. */
export function completeSettings(given: PartialSettings, base?: WorldSettings): WorldSettings {
  const settings = SETTING_NAMES.map((name) => {
    const { merge, default: preset } = optionOf(name).setting ?? {}
    const [inherited, own] = [base ? base[name] : preset, given[name]]
    if (own === undefined) return [name, inherited]
    return [name, merge && inherited !== undefined ? merge(inherited as never, own as never) : own]
  })
  return Object.fromEntries(settings) as WorldSettings
}

export const DEFAULT_SETTINGS = completeSettings({})

/** The options of a world as the library accepts them, before validation. */
export type WorldOptionInputs = {
  -readonly [Name in WorldOptionName]?: InputOf<ReturnType<WorldOptionTable[Name]['read']>>
}

/** The options of a world on the command line, in the environment and in the config file, by the names of the flags. */
export type WorldFlagValues = {
  -readonly [Name in WorldOptionName as FlagNameOf<Name>]?: ValueOf<
    ReturnType<
      WorldOptionTable[Name] extends { readFlag: infer Read extends OnDemand<unknown> }
        ? Read
        : WorldOptionTable[Name]['read']
    >
  >
}

/** Returns the name of an option on the command line and in the config file. */
export function flagNameOf(name: WorldOptionName): string {
  return optionOf(name).flag.name ?? toWords(name, '-')
}

/** Returns the name of an option in the body of POST /worlds. */
export function bodyNameOf(name: WorldOptionName): string {
  return toWords(name, '_')
}

function toWords(camelCase: string, separator: string): string {
  return camelCase.replaceAll(/[A-Z]/g, (letter) => `${separator}${letter.toLowerCase()}`)
}

/** A camel-case name as lower-case words with a separator. */
export type SeparatedWords<
  Text extends string,
  Separator extends string,
> = Text extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `${Separator}${Lowercase<Letter>}`}${SeparatedWords<Rest, Separator>}`
  : Text

type FlagNameOf<Name extends WorldOptionName> = WorldOptionTable[Name]['flag'] extends {
  name: infer FlagName extends string
}
  ? FlagName
  : SeparatedWords<Name, '-'>
