import { z } from 'zod'
import { describe } from './contract/describe.ts'
import { PolicySettings } from './contract/policies.ts'
import { MAXIMUM_PROJECTS } from './contract/generate.ts'
import { DateTimeInput } from './contract/moments.ts'
import { suggest } from './contract/suggestion.ts'
import { DEFAULT_RATE_LIMITS, RateLimit, toRateLimits } from './contract/token.ts'
import { formatProblems, validate } from './contract/validation.ts'
import { ArmedFault } from './control/fault.ts'
import { SCENARIOS } from './fixtures/scenarios/index.ts'
import type { ScenarioName } from './fixtures/scenarios/index.ts'

/** An option that is unknown, or set to something it cannot be. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  readonly code = 'invalid_option'
}

/** A value that may be typed, or a text of a shell or an environment; `parse` gives undefined for neither. */
function option<Value>(parse: (input: unknown) => Value | undefined, hint: string) {
  return z.unknown().transform((input, context): Value => {
    const value = parse(input)
    if (value !== undefined) return value
    context.addIssue({
      code: 'custom',
      message: `${[input].flat().map(describe).join(', ')} is not possible. ${hint}`,
    })
    return z.NEVER
  })
}

function toInteger(input: unknown, maximum: number): number | undefined {
  const number = typeof input === 'string' && /^\d{1,9}$/.test(input) ? Number(input) : input
  const isPossible = Number.isInteger(number) && Number(number) >= 0 && Number(number) <= maximum
  return isPossible ? Number(number) : undefined
}

function toBoolean(input: unknown): boolean | undefined {
  if ([true, 'true', '1', 'yes'].some((value) => value === input)) return true
  return [false, 'false', '0', 'no'].some((value) => value === input) ? false : undefined
}

function toCount(isOn: boolean | undefined): number | undefined {
  return isOn === undefined ? undefined : Number(isOn)
}

function toList(input: unknown): string[] | undefined {
  const list: unknown[] = typeof input === 'string' ? input.split(',') : [input].flat()
  const texts = list.filter((item) => typeof item === 'string').map((text) => text.trim())
  return texts.length > 0 && texts.length === list.length && !texts.includes('') ? texts : undefined
}

const MAXIMUM_HOPS = 100

export const Port = option(
  (input) => toInteger(input, 65_535),
  'Write a whole number from 0 to 65535; 0 picks a free port.',
)

export const TrustedHops = option(
  (input) => toInteger(input, MAXIMUM_HOPS) ?? toCount(toBoolean(input)),
  `Write the number of proxies to trust, from 0 to ${MAXIMUM_HOPS}.`,
)

export const Switch = option(toBoolean, 'Write true or false.')

export const Host = option(
  (input) => (typeof input === 'string' && /^[\w.:-]+$/.test(input) ? input : undefined),
  'Write an address or a host name, like 127.0.0.1.',
)

export const Origins = option(
  (input) =>
    toList(input)?.every((origin) => origin === '*' || isOrigin(origin))
      ? toList(input)
      : undefined,
  'Write origins like https://app.example.com, or * for any.',
)

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

export const StateFile = option(
  (input) => (typeof input === 'string' && input.endsWith('.json') ? input : undefined),
  'Write the path of one file, like state.json.',
)

/** Where a clock starts: as fixtures write it, or a `Date`. */
export const Now = z.preprocess(
  (input) =>
    input instanceof Date && !Number.isNaN(input.getTime()) ? input.toISOString() : input,
  DateTimeInput,
)

/** Both windows, from `60/min,1000/h`, either part alone, `unlimited`, or what a fixture writes. */
export const DefaultRateLimit = option((input) => {
  const limit = typeof input === 'string' ? parseRateLimit(input) : RateLimit.safeParse(input).data
  return limit && toRateLimits(limit, DEFAULT_RATE_LIMITS)
}, 'Write 60/min,1000/h, either part alone, or unlimited.')

const RATE_PART = /^(?<figure>[1-9]\d{0,8}|unlimited)\/(?<window>min|h)$/

function parseRateLimit(text: string): RateLimit | undefined {
  if (text === 'unlimited') return text
  const parts = text.split(',').map((part) => RATE_PART.exec(part.trim())?.groups)
  if (parts.includes(undefined)) return undefined
  const windows = parts.map((part) => [
    part?.['window'] === 'h' ? 'per_hour' : 'per_minute',
    part?.['figure'] === 'unlimited' ? 'unlimited' : Number(part?.['figure']),
  ])
  return RateLimit.parse(Object.fromEntries(windows))
}

/** A delay of each answer, as the fault that it is: `200`, `200-800`, drawn by the seed, or what a fault says. */
export const Latency = option((input): ArmedFault | undefined => {
  if (typeof input === 'object') {
    return ArmedFault.safeParse({ ...input, kind: 'latency' }).data
  }
  if (typeof input !== 'string' && typeof input !== 'number') return undefined
  const [, from, to] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(String(input)) ?? []
  if (from === undefined) return undefined
  const range =
    to === undefined ? { ms: Number(from) } : { min_ms: Number(from), max_ms: Number(to) }
  return ArmedFault.safeParse({ kind: 'latency', ...range }).data
}, 'Write milliseconds like 200, or 200-800; at most ten minutes.')

const LEAST_KEY_LENGTH = 16

/** What opens the control API: long enough not to be guessed. A message about it does not repeat it. */
export const AdminKey = z
  .string({ error: 'An admin key is a text.' })
  .regex(
    new RegExp(`^[!-~]{${LEAST_KEY_LENGTH},}$`),
    `An admin key has at least ${LEAST_KEY_LENGTH} letters, digits and signs, and no spaces. openssl rand -hex 16 makes one.`,
  )

/** Any text or number that random numbers shall come from. */
export const RandomSeed = option(
  (input) =>
    (typeof input === 'string' && input !== '') || Number.isFinite(input)
      ? String(input)
      : undefined,
  'Write a number or a text.',
)

const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[]

/** The name of a scenario. */
export const Scenario = z.enum(SCENARIO_NAMES, {
  error: ({ input }) =>
    `${describe(input)} is not a scenario. ${suggest(String(input), SCENARIO_NAMES)}`,
})

/** How many projects to make up. */
export const Projects = option(
  (input) => toInteger(input, MAXIMUM_PROJECTS),
  `Write a whole number from 0 to ${MAXIMUM_PROJECTS}.`,
)

/** Policies as a map, or as `NAME=VALUE`, one or several. */
export const Policies = z.preprocess((input) => {
  const settings = toList(input)
  if (!settings) return input
  return Object.fromEntries(
    settings.map((setting) => {
      const [name = '', ...value] = setting.split('=')
      return [name, value.join('=')]
    }),
  )
}, PolicySettings)

/** An option of `seo-sandbox serve`, wherever it is set: command line, environment, config file. */
export interface ServeOption {
  /** What follows the flag, as the help shows it; a switch has nothing. */
  value?: string
  description: string
  schema: z.ZodType
  /** In force where nothing sets it. */
  default?: unknown
}

/** Every option of the command line, in the order of its help. */
export const SERVE_OPTIONS = {
  port: {
    value: '<number>',
    description: 'port to listen on; 0 picks a free one',
    schema: Port,
    default: 4010,
  },
  host: {
    value: '<address>',
    description: 'address to listen on',
    schema: Host,
    default: '127.0.0.1',
  },
  fixtures: {
    value: '<path...>',
    description: 'fixture files or folders to serve, merged in order',
    schema: option(toList, 'Write one or more paths.'),
  },
  scenario: {
    value: '<name>',
    description: 'a small world that shows one hard case; seo-sandbox scenarios lists them',
    schema: Scenario,
  },
  projects: {
    value: '<number>',
    description: 'how many projects to make up',
    schema: Projects,
  },
  seed: {
    value: '<seed>',
    description: 'what made-up data comes from; the same seed gives the same world',
    schema: RandomSeed,
  },
  now: {
    value: '<datetime>',
    description: 'where the world clock starts, like 2026-03-15 or now-3d',
    schema: Now,
  },
  frozen: { description: 'let the world clock stand still', schema: Switch },
  policy: {
    value: '<name=value...>',
    description: 'what to do where the specification is open',
    schema: Policies,
  },
  'rate-limit': {
    value: '<limit>',
    description: 'for tokens without one of their own: 60/min,1000/h or unlimited',
    schema: DefaultRateLimit,
  },
  latency: {
    value: '<ms>',
    description: 'how long each answer is held back: 200, or 200-800 drawn by the seed',
    schema: Latency,
  },
  'show-gaps': {
    description: 'name the gaps that each answer rests on, in X-Sandbox-Gaps',
    schema: Switch,
  },
  'trust-proxy': {
    value: '[hops]',
    description: 'take the client address from X-Forwarded-For, that many proxies away',
    schema: TrustedHops,
  },
  cors: {
    value: '<origin...>',
    description: 'origins whose pages may call the API, or *',
    schema: Origins,
  },
  'admin-key': {
    value: '<key>',
    description: 'what opens the control API where others reach it',
    schema: AdminKey,
  },
  'no-control': { description: 'close the control API, but for health', schema: Switch },
  handlers: {
    value: '<file>',
    description: 'a module with MSW handlers of your own, asked before the API is',
    schema: option(
      (input) => (typeof input === 'string' && /\.[cm]?[jt]s$/.test(input) ? input : undefined),
      'Write the path of one module, like overrides.js.',
    ),
  },
  state: {
    value: '<file>',
    description: 'a file that keeps the world across restarts, like state.json',
    schema: StateFile,
  },
  watch: {
    description: 'load the fixtures anew when they change; clocks and rate limits go on',
    schema: Switch,
  },
  json: { description: 'log as JSON, an object on each line; the first has url', schema: Switch },
  quiet: { description: 'print the base URL and nothing else', schema: Switch },
} as const satisfies Record<string, ServeOption>

export type ServeOptionName = keyof typeof SERVE_OPTIONS
export const SERVE_OPTION_NAMES = Object.keys(SERVE_OPTIONS) as ServeOptionName[]

/** What all sources together set. */
export type ServeSettings = {
  -readonly [Name in ServeOptionName]?: z.output<(typeof SERVE_OPTIONS)[Name]['schema']>
}

/** The variable that sets an option: `SEO_SANDBOX_RATE_LIMIT`. */
export function environmentName(name: ServeOptionName): string {
  return `SEO_SANDBOX_${name.toUpperCase().replaceAll('-', '_')}`
}

/**
 * Checks an option's value. `source` says where it is set, for the message.
 *
 * @throws OptionError
 */
export function parseOption<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
): z.output<Schema> {
  const checked = validate(schema, input)
  if ('value' in checked) return checked.value
  throw new OptionError(`${source}: ${formatProblems(checked.problems)}`)
}

/** The name, if it is one of those known. @throws OptionError */
export function requireKnown<Name extends string>(
  name: string,
  known: readonly Name[],
  source: string,
): Name {
  const found = known.find((candidate) => candidate === name)
  if (found !== undefined) return found
  throw new OptionError(`${source}: "${name}" is not an option. ${suggest(name, known)}`)
}
