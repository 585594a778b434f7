import { charactersOf } from '../contract/limits.ts'
import { isMap, refuseInput } from '../contract/read-fields.ts'
import type { Reader } from '../contract/read-fields.ts'
import { suggest } from '../contract/suggestion.ts'
import { describe } from '../contract/text.ts'
import { boundProblems } from '../contract/validation.ts'
import type { Problem } from '../contract/validation.ts'
import { CommandError, invalidCommand } from '../world/command-error.ts'
import type { Additions, WrittenRecord } from '../world/commands/command.ts'
import { toTextList } from '../world/options/parse-option.ts'
import type { WorldSize } from '../world/world-size.ts'

/**
 * The limits that a store sets for its worlds, each with its default and the counted items. The default world has only the
 * limit `bytes`.
 */
export const LIMITS = {
  projects: { default: 1000, counts: 'projects' },
  records: {
    default: 20_000,
    counts: 'records, without those that are generated when they are read',
  },
  text: {
    default: 2_000_000,
    counts: 'characters in all records; each entry of a list or map counts as 20 more',
  },
  faults: { default: 200, counts: 'faults' },
  streams: { default: 10, counts: 'event streams on a server' },
  journal: { default: 1000, counts: 'requests in the journal' },
  requests: { default: 100, counts: 'requests and changes a second' },
  costly: { default: 12, counts: 'expensive requests a minute' },
  body: { default: 2 ** 18, counts: 'bytes of a JSON body with the key of a world' },
  bytes: { default: 64_000_000, counts: 'bytes of the store, of the default world too' },
} as const satisfies Record<string, { default: number; counts: string }>

/** Counted items of the limit `loaded`, which applies to each server of a store separately. */
export const LOADED = 'worlds in the memory of this server'

/** Advice on limits of earlier releases, by name. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  work: 'set costly, the number of expensive requests a minute',
  fixtures: 'set text or records for what a world has, or body for what is sent with its key',
}

type SharedLimitName = keyof typeof LIMITS
type LimitName = SharedLimitName | 'loaded'

export type SharedLimits = Readonly<Record<SharedLimitName, number>>
export type WorldLimits = Readonly<Record<LimitName, number>>

const SHARED_NAMES = Object.keys(LIMITS) as SharedLimitName[]
const NAMES: readonly LimitName[] = [...SHARED_NAMES, 'loaded']

export const DEFAULT_LIMITS = Object.fromEntries(
  SHARED_NAMES.map((name) => [name, LIMITS[name].default]),
) as SharedLimits

type LimitInputs = string | readonly string[] | Partial<WorldLimits>

/** Reads limits from a map, or from one or more settings `NAME=NUMBER`. */
export const LimitsOption: Reader<Partial<WorldLimits>, LimitInputs> = (input) => {
  const settings = toTextList(input)?.map((setting) => setting.split('=', 2))
  const map: unknown = settings ? Object.fromEntries(settings) : input
  if (!isMap(map)) return refuseInput(`${describe(input)} is not a limit. ${FORM}`)
  const limits = Object.entries(map)
  const problems = limits.flatMap(([name, value]) => {
    const message = problemOf(name, value)
    return message === undefined ? [] : [{ path: [], message }]
  })
  if (problems.length > 0) return { problems: boundProblems(problems) }
  return { value: Object.fromEntries(limits.map(([name, value]) => [name, Number(value)])) }
}

const FORM = 'Write NAME=NUMBER, like requests=20.'

function problemOf(name: string, value: unknown): string | undefined {
  const replacement = Object.hasOwn(REPLACEMENTS, name) ? REPLACEMENTS[name] : undefined
  if (replacement !== undefined) return `${name} is no longer a limit: ${replacement}.`
  if (!NAMES.some((known) => known === name))
    return `${describe(name)} is not a limit. ${suggest(name, NAMES)}`
  if (/^[1-9]\d{0,11}$/.test(String(value))) return undefined
  const noun = name === 'loaded' ? LOADED : LIMITS[name as SharedLimitName].counts
  return `${name}: ${describe(value)} is not a number of ${noun}. ${FORM}`
}

const COUNTED = ['records', 'projects', 'text', 'faults'] as const

/**
 * Checks an addition to a world against the limits of its host.
 *
 * @param size The current size of the world; omitted if the world is still to be created.
 * @throws CommandError if the world, the delay of its faults, a project, a record or a name would exceed a limit
 */
export function requireWithin(
  limits: SharedLimits,
  added: Additions,
  size: WorldSize = NOTHING,
): void {
  for (const written of added.written ?? []) requireShort(written)
  for (const name of COUNTED) {
    const more = added[name] ?? 0
    if (more > 0) requireAtMost(limits, name, size[name] + more)
  }
  if ((added.records ?? 0) > 0 && size.removed > MAXIMUM_REMOVED) {
    throw insufficientMemory(
      `On this host, a world remembers at most ${MAXIMUM_REMOVED} ids of removed records, and this one has ${size.removed}. Reset it.`,
    )
  }
  const { keywords = 0, delayMs = 0 } = added
  if (keywords > MAXIMUM_PROJECT_KEYWORDS) {
    throw insufficientMemory(
      `On this host, a project has at most ${MAXIMUM_PROJECT_KEYWORDS} keywords, and this would be ${keywords}. Remove some.`,
    )
  }
  if (delayMs > 0) requireShortDelay(size.delayMs + delayMs)
}

const NOTHING: WorldSize = { records: 0, projects: 0, text: 0, faults: 0, delayMs: 0, removed: 0 }

export const MAXIMUM_PROJECT_KEYWORDS = 500

/**
 * Maximum number of ids of removed records that a world remembers before it accepts no new records. Each id takes about
 * 20 bytes.
 */
const MAXIMUM_REMOVED = 100_000

/** Maximum total delay that a world's faults may add to a response. A delayed response occupies a connection. */
export const MAXIMUM_DELAY_MS = 60_000

function requireShortDelay(delayMs: number): void {
  if (delayMs <= MAXIMUM_DELAY_MS) return
  const [most, delay] = [MAXIMUM_DELAY_MS, delayMs].map((ms) => ms / 1000)
  const message = `On this host, the faults of a world delay a response by at most ${most} s together, and this would be ${delay} s. Shorten the delays, or remove some.`
  throw invalidCommand({ path: [], message })
}

function requireAtMost(limits: SharedLimits, name: SharedLimitName, count: number): void {
  const limit = limits[name]
  if (count <= limit) return
  const message = `On this host, a world has at most ${limit} ${LIMITS[name].counts}, and this would be ${count}. Remove some, or ask its operator for more.`
  throw insufficientMemory(message)
}

function insufficientMemory(message: string): CommandError {
  return new CommandError('insufficient_memory', [{ path: [], message }])
}

const MAXIMUM_RECORD_LENGTH = 200_000
const MAXIMUM_NAME_LENGTH = 200

/** Fields that are not names, such as links and contents. Only the limit on the whole record applies to them. */
const LONG_FIELDS = new Set(['content', 'token', 'url', 'pdf_link', 'web_link'])

/**
 * Returns the problem of the first name in a record that is too long for a host, or else of a record that is too long
 * as a whole; undefined if everything fits.
 */
export function findTooLong({ path, fields, record }: WrittenRecord): Problem | undefined {
  for (const [field, value] of Object.entries(fields)) {
    if (LONG_FIELDS.has(field)) continue
    const texts: unknown[] = Array.isArray(value) ? value : [value]
    const at = texts.findIndex(
      (text) => typeof text === 'string' && text.length > MAXIMUM_NAME_LENGTH,
    )
    if (at === -1) continue
    const { length } = texts[at] as string
    const message = `This text has ${length} characters, and a name has at most ${MAXIMUM_NAME_LENGTH} on this host. Shorten it.`
    return { path: [...path, field, ...(Array.isArray(value) ? [at] : [])], message }
  }
  const length = charactersOf(record)
  if (length <= MAXIMUM_RECORD_LENGTH) return undefined
  const message = `This record has ${length} characters, and one has at most ${MAXIMUM_RECORD_LENGTH} on this host; each entry of a list or map counts as 20 more. Shorten it.`
  return { path, message }
}

function requireShort(written: WrittenRecord): void {
  const problem = findTooLong(written)
  if (problem) throw invalidCommand(problem)
}

/** Reads the URL of Redis or Valkey. Messages do not repeat the URL, which may contain a password. */
export const StoreUrlOption: Reader<string> = (input) =>
  typeof input === 'string' && isStoreUrl(input)
    ? { value: toRedisUrl(input) }
    : refuseInput(
        'This is not the address of a store: use one like redis://127.0.0.1:6379 or redis://127.0.0.1:6379/1, rediss:// with TLS, or valkey://.',
      )

function isStoreUrl(address: string): boolean {
  if (!/^(?:redis|valkey)s?:\/\/[^\s/?#]+(?:\/\d{0,9})?$/i.test(address)) return false
  try {
    const { username, password } = new URL(toRedisUrl(address))
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** Replaces the scheme `valkey` with `redis`, because the client does not know it. */
function toRedisUrl(address: string): string {
  return address.replace(/^valkey(s?):/i, 'redis$1:')
}
