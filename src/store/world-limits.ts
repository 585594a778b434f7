import { COLLECTION_NAMES } from '../contract/collections.ts'
import type { CollectionName } from '../contract/collections.ts'
import { describe } from '../contract/describe.ts'
import { MEGABYTE } from '../contract/megabyte.ts'
import type { Path } from '../contract/validation.ts'
import { isMap, refuse } from '../contract/read-fields.ts'
import type { Reader } from '../contract/read-fields.ts'
import { suggest } from '../contract/suggestion.ts'
import { boundProblems } from '../contract/validation.ts'
import { CommandError, invalidCommand } from '../world/command-error.ts'
import type { Additions } from '../world/commands/command.ts'
import { toList } from '../world/parse-option.ts'
import { longestDelay } from '../world/faults/longest-delay.ts'
import type { World } from '../world/world.ts'

/** What the host of a store allows each world but the default one: its default, and what is counted. */
export const LIMITS = {
  projects: { default: 1000, counts: 'projects' },
  records: {
    default: 100_000,
    counts: 'records, not counting those that are generated when they are read',
  },
  fixtures: { default: 8_000_000, counts: 'bytes of fixtures, or of a snapshot' },
  faults: { default: 100, counts: 'faults' },
  streams: { default: 10, counts: 'streams of events on a server' },
  journal: { default: 1000, counts: 'requests in the journal' },
  requests: { default: 100, counts: 'requests and changes a second' },
  costly: { default: 12, counts: 'expensive requests a minute on a server' },
  bytes: { default: 64_000_000, counts: 'bytes of the store, of the default world too' },
} as const satisfies Record<string, { default: number; counts: string }>

type LimitName = keyof typeof LIMITS
export type WorldLimits = Readonly<Record<LimitName, number>>

const NAMES = Object.keys(LIMITS) as LimitName[]

export const DEFAULT_LIMITS = Object.fromEntries(
  NAMES.map((name) => [name, LIMITS[name].default]),
) as WorldLimits

type LimitInputs = string | readonly string[] | Partial<WorldLimits>

/** Limits as a map, or as `NAME=NUMBER`, one or several. */
export const Limits: Reader<Partial<WorldLimits>, LimitInputs> = (input) => {
  const settings = toList(input)?.map((setting) => setting.split('=', 2))
  const stated: unknown = settings ? Object.fromEntries(settings) : input
  if (!isMap(stated)) return refuse(`${describe(input)} is not a limit. ${FORM}`)
  const limits = Object.entries(stated)
  const problems = limits.flatMap(([name, value]) => {
    const message = problemOf(name, value)
    return message === undefined ? [] : [{ path: [], message }]
  })
  if (problems.length > 0) return { problems: boundProblems(problems) }
  return { value: Object.fromEntries(limits.map(([name, value]) => [name, Number(value)])) }
}

const FORM = 'Write NAME=NUMBER, like requests=20.'

function problemOf(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(LIMITS, name))
    return `${describe(name)} is not a limit. ${suggest(name, NAMES)}`
  if (/^[1-9]\d{0,11}$/.test(String(value))) return undefined
  return `${name}: ${describe(value)} is not a number of ${LIMITS[name as LimitName].counts}. ${FORM}`
}

/** What a world may have on its host, without limits where `limits` is undefined, and in the memory of a server. */
interface Allowance {
  limits: WorldLimits | undefined
  mostBytes: number
}

/** @throws CommandError for additions after which `world` would have more than it may; without it, for a world still to be created. */
export function requireWithin(
  { limits, mostBytes }: Allowance,
  { records = 0, projects = 0, faults = 0, delayMs = 0, bytes = 0 }: Additions,
  world?: Pick<World, 'records' | 'faults' | 'memory'>,
): void {
  const total = (world?.memory.bytes ?? 0) + bytes
  if (bytes > 0 && total > mostBytes) {
    const [most, needed] = [Math.floor(mostBytes / MEGABYTE), Math.ceil(total / MEGABYTE)]
    throw insufficientMemory(
      `A world may take ${most} MB of the memory of this server, with its journal, and this would be ${needed} MB. Reset the world, or ask its operator for a larger --max-old-space-size.`,
    )
  }
  if (!limits) return
  const countOf = (name: CollectionName) => world?.records.allHeld(name).length ?? 0
  if (records > 0) requireAtMost(limits, 'records', records + sumOf(COLLECTION_NAMES.map(countOf)))
  if (projects > 0) requireAtMost(limits, 'projects', projects + countOf('projects'))
  if (faults > 0) requireAtMost(limits, 'faults', faults + (world?.faults.length ?? 0))
  if (delayMs > 0) requireShortDelay(delayMs + longestDelay(world?.faults ?? []))
}

/** Each delayed response keeps a connection of the host. */
const MOST_DELAY_MS = 60_000

function requireShortDelay(delayMs: number): void {
  if (delayMs <= MOST_DELAY_MS) return
  const [most, delay] = [MOST_DELAY_MS, delayMs].map((ms) => ms / 1000)
  const message = `On this host, the faults of a world delay a response by at most ${most} s together, and this would be ${delay} s. Shorten the delays, or remove some.`
  throw invalidCommand({ path: [], message })
}

/** @throws CommandError for fixtures or a snapshot that are larger than a world may load; `text` is their JSON. */
export function requireShort(limits: WorldLimits, text: string): void {
  requireAtMost(limits, 'fixtures', text.length)
}

function requireAtMost(limits: WorldLimits, name: LimitName, count: number): void {
  const limit = limits[name]
  if (count <= limit) return
  const message = `On this host, a world has at most ${limit} ${LIMITS[name].counts}, and this would be ${count}. Remove some, or ask its operator for more.`
  throw insufficientMemory(message)
}

function insufficientMemory(message: string): CommandError {
  return new CommandError('insufficient_memory', [{ path: [], message }])
}

const MOST_CHARACTERS = 100_000

/** Refuses records with a text that is too long for a host. @throws CommandError with its place */
export function requireShortTexts(value: unknown): void {
  const found = findLongText(value)
  if (!found) return
  const { path, length } = found
  const message = `This text has ${length} characters, and one has at most ${MOST_CHARACTERS} on this host. Shorten it.`
  throw invalidCommand({ path, message })
}

function findLongText(value: unknown): { path: Path; length: number } | undefined {
  if (typeof value === 'string')
    return value.length > MOST_CHARACTERS ? { path: [], length: value.length } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const found = findLongText(part)
    const step = Array.isArray(value) ? Number(key) : key
    if (found) return { ...found, path: [step, ...found.path] }
  }
  return undefined
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
