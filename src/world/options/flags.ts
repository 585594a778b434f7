import { DEFAULT_RATE_LIMITS } from '../../contract/limits.ts'
import { LOCALES_BY_COUNTRY } from '../../contract/locale-names.ts'

/** An option as the command line shows it; it is also an environment variable and a key of the config file. */
export interface FlagText {
  /** Argument of the flag in the help; omitted for a switch. */
  value?: string
  /** True if the flag can be repeated for several values. */
  repeats?: true
  description: string
  /** Page of the documentation about the option; if omitted, the page of the command. */
  page?: string
  default?: unknown
}

/** The default of a setting, and the rule that combines it with a world's own value. */
export interface SettingDefault {
  default?: unknown
  /**
   * Combines the default world's value with a world's own value; if omitted, the world's own value replaces the default
   * world's.
   */
  merge?: (base: never, own: never) => unknown
}

/** Default maximum number of requests in a journal. */
const DEFAULT_JOURNAL = 5000

interface WorldFlag extends FlagText {
  /**
   * The setting of a running world; omitted for options that state the source of its records. Without a default, the setting
   * may be undefined.
   */
  setting?: SettingDefault
  /** Name of the flag and of the key in the config file; if omitted, the option's own name in kebab case. */
  name?: string
  /** Converts the value of the flag, if its form differs from the option's. */
  toOption?: (value: never) => unknown
}

/**
 * The options of a world, as the command line shows them, with their defaults. Their readers are in `table.ts`: they have
 * schemas, which a start without options does not load.
 */
const FLAGS = {
  fixtures: {
    page: 'docs/fixtures.md',
    value: '<path>',
    repeats: true,
    description: 'a fixture file or folder to serve; several are merged in order',
  },
  scenario: {
    page: 'docs/fixtures.md',
    value: '<name>',
    description: 'a small world that shows one edge case; seo-sandbox scenarios lists them',
  },
  demo: {
    page: 'docs/fixtures.md',
    description: 'a lifelike agency with 40 projects that move as time passes',
  },
  generate: {
    page: 'docs/fixtures.md',
    name: 'projects',
    value: '<number>',
    description:
      'number of projects to generate over all agencies; a token sees those of its own agency',
    toOption: (projects: number) => ({ projects }),
  },
  locale: {
    page: 'docs/fixtures.md',
    value: '<name>',
    repeats: true,
    description: `the country of the demo or of generated data, or several: ${LOCALES_BY_COUNTRY}`,
  },
  seed: {
    page: 'docs/fixtures.md',
    value: '<seed>',
    description: 'the seed of generated data; the same seed gives the same world',
    setting: { default: '1' },
  },
  now: {
    page: 'docs/time-and-reports.md',
    value: '<datetime>',
    description: 'start of the world clock, like 2026-03-15 or now-3d',
    setting: {},
  },
  frozen: {
    page: 'docs/time-and-reports.md',
    description: 'stop the world clock',
    setting: {},
  },
  policies: {
    page: 'docs/policies.md',
    name: 'policy',
    value: '<name=value>',
    repeats: true,
    description: 'behaviour for a question that the specification leaves open',
    setting: {
      default: {},
      merge: (base: object, own: object) => ({ ...base, ...own }),
    },
  },
  rateLimit: {
    page: 'docs/time-and-reports.md',
    value: '<limit>',
    description: 'rate limit of tokens without one of their own, like 60/min,1000/h or unlimited',
    setting: { default: DEFAULT_RATE_LIMITS },
  },
  latency: {
    page: 'docs/faults.md',
    value: '<ms>',
    description: 'delay of each response: 200, or 200-800, chosen at random from the seed',
    setting: {},
  },
  showGaps: {
    page: 'docs/policies.md',
    description: 'name the gaps that matter to each response, in X-Sandbox-Gaps',
    setting: { default: false },
  },
  journal: {
    page: 'docs/journal.md',
    value: '<number>',
    description: 'maximum number of requests in the journal, and of steps in a session',
    default: DEFAULT_JOURNAL,
    setting: { default: DEFAULT_JOURNAL },
  },
} as const satisfies Record<string, WorldFlag>

export type FlagTable = typeof FLAGS
export type WorldOptionName = keyof FlagTable
export const WORLD_OPTION_NAMES = Object.keys(FLAGS) as WorldOptionName[]

/** The options of a running world. */
export type SettingName = {
  [Name in WorldOptionName]: FlagTable[Name] extends { setting: unknown } ? Name : never
}[WorldOptionName]
export const SETTING_NAMES = WORLD_OPTION_NAMES.filter(
  (name): name is SettingName => 'setting' in FLAGS[name],
)

export function settingOf<Name extends SettingName>(name: Name): FlagTable[Name]['setting'] {
  return FLAGS[name].setting
}

export function flagOf(name: WorldOptionName): WorldFlag {
  return FLAGS[name]
}

/** Returns the name of an option on the command line and in the config file. */
export function flagNameOf(name: WorldOptionName): string {
  return flagOf(name).name ?? toWords(name, '-')
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

export type FlagNameOf<Name extends WorldOptionName> = (typeof FLAGS)[Name] extends {
  name: infer FlagName extends string
}
  ? FlagName
  : SeparatedWords<Name, '-'>
