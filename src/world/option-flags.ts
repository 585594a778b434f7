import { DEFAULT_JOURNAL } from './setting-defaults.ts'

/** An option as the command line shows it; it is also an environment variable and a key of the config file. */
export interface FlagText {
  /** The argument of the flag, as the help shows it; a switch has none. */
  value?: string
  /** Whether it is written once for each of several values. */
  repeats?: true
  description: string
  /** The page of the documentation about it; its command's if omitted. */
  page?: string
  /** Its value where nothing sets it. */
  default?: unknown
}

interface WorldFlag extends FlagText {
  /** The name of its flag and of its key in the config file, where that is not its own name in kebab case. */
  name?: string
  /** Converts the value of its flag, where the two differ. */
  toOption?: (value: never) => unknown
}

/**
 * The flags of the options of a world. They are separate from the options themselves, which validate with schemas: a start
 * that sets none of them does not load those schemas.
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
    description: 'how many projects to generate, over all agencies; a token sees those of its own',
    toOption: (projects: number) => ({ projects }),
  },
  locale: {
    page: 'docs/fixtures.md',
    value: '<name>',
    repeats: true,
    description:
      'da, de, en, nl or sv, of the demo or what is generated; several for an agency of several countries',
  },
  seed: {
    page: 'docs/fixtures.md',
    value: '<seed>',
    description: 'the seed of generated data; the same seed gives the same world',
  },
  now: {
    page: 'docs/time-and-reports.md',
    value: '<datetime>',
    description: 'where the world clock starts, like 2026-03-15 or now-3d',
  },
  frozen: { page: 'docs/time-and-reports.md', description: 'let the world clock stand still' },
  policies: {
    page: 'docs/policies.md',
    name: 'policy',
    value: '<name=value>',
    repeats: true,
    description: 'what to do where the specification leaves a question open',
  },
  rateLimit: {
    page: 'docs/time-and-reports.md',
    value: '<limit>',
    description: 'for tokens without one of their own: 60/min,1000/h or unlimited',
  },
  latency: {
    page: 'docs/faults.md',
    value: '<ms>',
    description:
      'how long each response is delayed: 200, or 200-800, chosen at random from the seed',
  },
  showGaps: {
    page: 'docs/policies.md',
    description: 'name the gaps that matter to each response, in X-Sandbox-Gaps',
  },
  journal: {
    page: 'docs/journal.md',
    value: '<number>',
    description: 'how many requests the journal keeps, and how many steps a session may have',
    default: DEFAULT_JOURNAL,
  },
} as const satisfies Record<string, WorldFlag>

export type WorldOptionName = keyof typeof FLAGS
export const WORLD_OPTION_NAMES = Object.keys(FLAGS) as WorldOptionName[]

export function flagOf(name: WorldOptionName): WorldFlag {
  return FLAGS[name]
}

/** The name of an option on the command line and in the config file. */
export function flagNameOf(name: WorldOptionName): string {
  return flagOf(name).name ?? toWords(name, '-')
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

export type FlagNameOf<Name extends WorldOptionName> = (typeof FLAGS)[Name] extends {
  name: infer FlagName extends string
}
  ? FlagName
  : Words<Name, '-'>
