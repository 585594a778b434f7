import { z } from 'zod'
import { COLLECTION_NAMES } from '../contract/collections.ts'
import type { CollectionName } from '../contract/collections.ts'
import { describe } from '../contract/describe.ts'
import { suggest } from '../contract/suggestion.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { Change } from '../world/change.ts'
import { CommandError } from '../world/command-error.ts'
import { toList } from '../world/parse-option.ts'
import type { World } from '../world/world.ts'

/** What the host of a store allows each world but the default one: its default, and what is counted. */
export const LIMITS = {
  projects: { default: 1000, counts: 'projects' },
  records: {
    default: 100_000,
    counts: 'records, those that are generated when they are read apart',
  },
  fixtures: { default: 8_000_000, counts: 'bytes of fixtures, or of a snapshot' },
  faults: { default: 100, counts: 'faults' },
  streams: { default: 10, counts: 'streams of events on a server' },
  journal: { default: 1000, counts: 'requests in the journal' },
  requests: { default: 100, counts: 'requests and changes a second' },
} as const satisfies Record<string, { default: number; counts: string }>

type LimitName = keyof typeof LIMITS
export type WorldLimits = Readonly<Record<LimitName, number>>

const NAMES = Object.keys(LIMITS) as LimitName[]

export const DEFAULT_LIMITS = Object.fromEntries(
  NAMES.map((name) => [name, LIMITS[name].default]),
) as WorldLimits

/** Limits as a map, or as `NAME=NUMBER`, one or several. */
export const Limits = z.unknown().transform((input, context): Partial<WorldLimits> => {
  const settings = toList(input)?.map((setting) => setting.split('=', 2))
  const stated = settings ? Object.fromEntries(settings) : input
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated)) {
    context.addIssue({ code: 'custom', message: `${describe(input)} is no limit. ${FORM}` })
    return z.NEVER
  }
  const limits = Object.entries(stated as object).map(([name, value]) => {
    const message = problemOf(name, value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
    return [name, Number(value)]
  })
  return Object.fromEntries(limits) as Partial<WorldLimits>
}) as unknown as z.ZodType<Partial<WorldLimits>, string | readonly string[] | Partial<WorldLimits>>

const FORM = 'Write NAME=NUMBER, like requests=20.'

function problemOf(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(LIMITS, name)) return `${describe(name)} is no limit. ${suggest(name, NAMES)}`
  if (/^[1-9]\d{0,11}$/.test(String(value))) return undefined
  return `${name}: ${describe(value)} is not a number of ${LIMITS[name as LimitName].counts}. ${FORM}`
}

/** @throws CommandError for a change after which a world would have more than it may. */
export function requireWithin(limits: WorldLimits, change: Change, world: World): void {
  const added = addedBy(change)
  if (added !== undefined && !isThere(added, world)) {
    const { records } = world
    const counts = COLLECTION_NAMES.map((name) => records.allHeld(name).length)
    requireAtMost(limits, 'records', 1 + counts.reduce((sum, count) => sum + count, 0))
    if (added.collection === 'projects') {
      requireAtMost(limits, 'projects', 1 + records.allHeld('projects').length)
    }
  }
  const command = commandOf(change)
  if (command['type'] === 'fault.add') requireAtMost(limits, 'faults', world.faults.length + 1)
  const { faults } = command
  if (command['type'] === 'fault.set' && Array.isArray(faults)) {
    requireAtMost(limits, 'faults', faults.length)
  }
}

/** @throws CommandError for a seed that is larger than a world may be. */
export function requireSeedWithin(limits: WorldLimits, seed: Seed): void {
  const { records, generate } = seed
  requireLengthWithin(limits, JSON.stringify(seed))
  const count = COLLECTION_NAMES.reduce((sum, name) => sum + records[name].length, 0)
  requireAtMost(limits, 'records', count)
  requireAtMost(limits, 'projects', records.projects.length + (generate?.projects ?? 0))
}

/** @throws CommandError for fixtures or a snapshot that are longer than a world may load. */
export function requireLengthWithin(limits: WorldLimits, text: string): void {
  requireAtMost(limits, 'fixtures', text.length)
}

function requireAtMost(limits: WorldLimits, name: LimitName, count: number): void {
  const limit = limits[name]
  if (count <= limit) return
  const message = `A world has at most ${limit} ${LIMITS[name].counts} on this host, and this would be ${count}. Remove some, or ask its operator for more.`
  throw new CommandError('insufficient_memory', [{ path: [], message }])
}

interface Added {
  collection: CollectionName
  id: unknown
}

/** The record that a change adds, or replaces. */
function addedBy(change: Change): Added | undefined {
  if ('add_record' in change) return { collection: change.collection, id: change.add_record['id'] }
  const { type, collection, record } = commandOf(change) as {
    type?: unknown
    collection?: CollectionName
    record?: { id?: unknown }
  }
  if (type === 'report.create') return { collection: 'reports', id: undefined }
  if (type !== 'record.put' || collection === undefined) return undefined
  return { collection, id: record?.id }
}

function isThere({ collection, id }: Added, { records }: World): boolean {
  const isKnown = COLLECTION_NAMES.includes(collection)
  return typeof id === 'number' && isKnown && records.get(collection, id) !== undefined
}

function commandOf(change: Change): Record<string, unknown> {
  return 'command' in change ? { ...(change.command as Record<string, unknown>) } : {}
}
