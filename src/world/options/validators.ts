import { z } from 'zod'
import { describe } from '../../contract/text.ts'
import { DateTimeInput } from '../../contract/conventions.ts'
import { PolicySettings } from '../../contract/policy-settings.ts'
import {
  LAST_REPORT_NUMBER,
  DEFAULT_RATE_LIMITS,
  toRateLimits,
  MAXIMUM_AGENCIES,
  MAXIMUM_KEYWORDS,
  MAXIMUM_PROJECTS,
} from '../../contract/limits.ts'
import type { RateLimits } from '../../contract/limits.ts'
import { refuseInput } from '../../contract/read-fields.ts'
import type { Reader } from '../../contract/read-fields.ts'
import { suggestFew } from '../../contract/suggestion.ts'
import { RateLimit, WindowLimit } from '../../contract/token.ts'
import { validate } from '../../contract/validate.ts'
import { SCENARIOS } from '../../fixtures/scenarios/index.ts'
import type { ScenarioName } from '../../fixtures/scenarios/index.ts'
import type { Fixtures } from '../../fixtures/read-sources.ts'
import { Generate } from '../../records/generation/generate.ts'
import { LOCALES } from '../../contract/locales.ts'
import type { Locale } from '../../contract/locales.ts'
import { ArmedFault } from '../faults/fault.ts'
import { FixturesInput } from '../fixtures-input.ts'
import { listOption, option, Switch, toInteger, toTextList } from './parse-option.ts'

/** Start of the world clock: a string as in fixtures, or a `Date`. */
export const NowOption: Reader<string, string | Date> = (input) =>
  validate(
    DateTimeInput,
    input instanceof Date && !Number.isNaN(input.getTime()) ? input.toISOString() : input,
  )

/** The seed of random numbers: a non-empty string, or a finite number. */
export const RandomSeedOption = option<string, string | number>(
  (input) =>
    (typeof input === 'string' && input !== '') || Number.isFinite(input)
      ? String(input)
      : undefined,
  { noun: 'a seed', remedy: 'use a number or a text' },
)

/** Policies as a map, or as strings like `NAME=VALUE`: one, a list, or several separated by commas. */
export const PoliciesOption: Reader<Record<string, string>, PolicySettings> = (input) =>
  validate(PolicySettings, toMap(toTextList(input)) ?? input)

function toMap(settings: string[] | undefined): Record<string, string> | undefined {
  const entries = settings?.map((setting) => {
    const [name = '', ...value] = setting.split('=')
    return [name, value.join('=')] as const
  })
  return entries && Object.fromEntries(entries)
}

/**
 * The default rate limit: `60/min,1000/h`, either part alone, `unlimited`, or an object as in a fixture. The result has both
 * windows; an omitted window has the default limit of the API.
 */
export const DefaultRateLimitOption = option<RateLimits, string | Exclude<RateLimit, string>>(
  (input) => {
    const limit =
      typeof input === 'string' ? parseRateLimit(input) : RateLimit.safeParse(input).data
    return limit && toRateLimits(limit, DEFAULT_RATE_LIMITS)
  },
  { noun: 'a rate limit', remedy: 'use 60/min,1000/h, either part alone, or unlimited' },
)

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

/** A latency fault for every response: `200`, `200-800` (chosen at random from the seed), or the fields of the fault. */
export const LatencyOption = option<ArmedFault, number | string>(
  (input) => {
    if (typeof input === 'object') {
      return ArmedFault.safeParse({ ...input, kind: 'latency' }).data
    }
    if (typeof input !== 'string' && typeof input !== 'number') return undefined
    const [, from, to] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(String(input)) ?? []
    if (from === undefined) return undefined
    const range =
      to === undefined ? { ms: Number(from) } : { min_ms: Number(from), max_ms: Number(to) }
    return ArmedFault.safeParse({ kind: 'latency', ...range }).data
  },
  { noun: 'a latency', remedy: 'use milliseconds like 200, or 200-800, up to ten minutes' },
)

const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[]

export const ScenarioOption: Reader<ScenarioName> = (input) => {
  const name = SCENARIO_NAMES.find((known) => known === input)
  if (name !== undefined) return { value: name }
  const remedy = suggestFew(String(input), SCENARIO_NAMES, 'seo-sandbox scenarios lists them all.')
  return refuseInput(`${describe(input)} is not a scenario. ${remedy}`)
}

/** Creates a reader for a number of items from `least` to `most`. */
function countOption(
  noun: string,
  [least, most]: readonly [least: number, most: number],
): Reader<number, number | string> {
  return option(
    (input) => {
      const count = toInteger(input, most)
      return count === undefined || count < least ? undefined : count
    },
    { noun: `a number of ${noun}`, remedy: `use ${least} to ${most}` },
  )
}

/** Maximum number of requests in a journal: more would take too much memory. */
const MAXIMUM_JOURNAL = 100_000

export const JournalSizeOption = countOption('requests', [1, MAXIMUM_JOURNAL])

export const ProjectsOption = countOption('projects', [0, MAXIMUM_PROJECTS])

/** Number of agencies for the command `generate`. */
export const AgenciesOption = countOption('agencies', [1, MAXIMUM_AGENCIES])
/** Number of keywords per project for the command `generate`. */
export const KeywordsOption = countOption('keywords', [0, MAXIMUM_KEYWORDS])
/** Number of reports per project for the command `generate`. */
export const ReportsOption = countOption('reports', [0, LAST_REPORT_NUMBER])

/** Countries and languages of generated data: one locale, or several as a list or separated by commas. */
export const LocalesOption = listOption<Locale | readonly Locale[], Locale>(
  (text): text is Locale => LOCALES.some((locale) => locale === text),
  { noun: 'a locale', remedy: `use one or several of ${LOCALES.join(', ')}` },
)

/** Creates a reader that accepts any value; the library validates it on use. */
function anyValue<Value>(): Reader<Value> {
  return (input) => ({ value: input as Value })
}

export const FixturesOption = anyValue<Fixtures | Promise<Fixtures>>()
export const GenerateOption = anyValue<z.input<typeof Generate>>()

/** Paths of fixtures on the command line. */
export const PathsOption = listOption(() => true, {
  noun: 'a list of paths',
  remedy: 'use one or more, none of them empty',
})

export { Switch }

// The following are schemas of fields in bodies and sessions.
export { DateTimeInput, FixturesInput, PolicySettings }
export const ScenarioInput = z.string()
export const TrueOrFalse = z.boolean()
export const GenerateInput = z.looseObject({})
export const LocalesInput = Generate.shape.locale.removeDefault()
export const RandomSeed = z.string().min(1)
export const RandomSeedInput = z.union([RandomSeed, z.number()]).transform(String)
export const RateLimitInput = RateLimit.transform((limit) =>
  toRateLimits(limit, DEFAULT_RATE_LIMITS),
)
export const WindowLimits = z.strictObject({ per_minute: WindowLimit, per_hour: WindowLimit })
export const Latencies = z.array(ArmedFault)
