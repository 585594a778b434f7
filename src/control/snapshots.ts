import { z } from 'zod'
import { DateTime, Id } from '../contract/conventions.ts'
import { describe } from '../contract/describe.ts'
import { findViolations } from '../contract/integrity.ts'
import { DateTimeInput, LATEST_MS, resolveMs, toDateTime } from '../contract/moments.ts'
import { COLLECTION_NAMES, COLLECTIONS, SINGULAR } from '../contract/records.ts'
import type { AnyRecord, CollectionName, RecordReader, RecordSet } from '../contract/records.ts'
import { validate } from '../contract/validation.ts'
import type { Path, Problem } from '../contract/validation.ts'
import type { Clock, ClockPosition } from '../engine/clock.ts'
import type { Engine, EngineMemory } from '../engine/engine.ts'
import type { TokenWindows } from '../engine/rate-limiter.ts'
import { Indexes } from '../world/indexes.ts'
import { Records } from '../world/records.ts'

/** Grows with every change of the form that an older release could not read. */
const VERSION = 1

const Moment = DateTime.pipe(DateTimeInput)

const Counted = z.array(
  z.strictObject({
    age_ms: z.number().min(-LATEST_MS).max(LATEST_MS),
    requests: z.number().nonnegative().max(1e9),
  }),
)

const Windows: z.ZodType<TokenWindows> = z.strictObject({
  token: Id,
  minute: Counted,
  hour: Counted,
})

const Applied = z.strictObject({
  sequence: z.int().positive(),
  command: z.unknown(),
  clock: z.strictObject({ now: z.string(), frozen: z.boolean(), rate_clock: z.string() }),
})

/** A list whose items are still to be judged, one by one, so that what is said of them is bounded. */
const Unread = z.array(z.unknown())
const UnreadRecords = z.strictObject(mapCollections(() => Unread))

/** The outside of a snapshot. */
const Outline = z.strictObject({
  version: z.literal(VERSION),
  taken_at: Moment,
  clock: z.strictObject({
    now: Moment,
    frozen: z.boolean(),
    rate_offset_ms: z.number().nonnegative().max(LATEST_MS),
  }),
  rate_windows: Unread,
  records: UnreadRecords,
  published: z
    .strictObject({
      changed: UnreadRecords,
      added: z.record(z.enum(COLLECTION_NAMES), z.array(Id)),
    })
    .nullable(),
  commands: Unread,
})

/**
 * A world as it stood at one moment, as plain JSON. It holds the bearer values of the tokens, which are
 * part of their records: keep it as secret as those are. How the sandbox was made (policies, default
 * limits, the fixtures that a reset goes back to) is no part of it.
 */
export interface Snapshot {
  /** The version of this form. */
  version: typeof VERSION
  /** When it was taken, by the machine's clock, as a datetime of the wire. */
  taken_at: string
  clock: {
    /** Where the world clock stood, as a datetime of the wire. */
    now: string
    frozen: boolean
    /** How far the rate clock was moved on from the machine's, in milliseconds. */
    rate_offset_ms: number
  }
  /** What the rate windows of each token have counted; tokens for which nothing counts are left out. */
  rate_windows: TokenWindows[]
  /** Every record in the fixture's form, keywords and reports with their `project`, dates absolute. */
  records: RecordSet
  /**
   * How what answers showed differed from the records, where policy has data go stale (G-058): records
   * as they were before a change, and the ids of those that were not there yet. null where they did not.
   */
  published: { changed: RecordSet; added: Record<CollectionName, number[]> } | null
  /** The commands applied, the oldest first. */
  commands: z.infer<typeof Applied>[]
}

/** What a snapshot is taken of. */
export interface Snapshotted {
  clock: Clock
  records: Records
  engine: Engine
  /** The commands applied, as the world lists them. */
  applied: Snapshot['commands']
  /** The machine's clock in epoch milliseconds. */
  realMs: number
}

/** The text of a snapshot, in JSON. */
export function writeSnapshot({ clock, records, engine, applied, realMs }: Snapshotted): string {
  const { worldMs, frozen, rateOffsetMs } = clock.position
  const { windows, published } = engine.memoryAt(worldMs)
  const snapshot: Snapshot = {
    version: VERSION,
    taken_at: toDateTime(realMs),
    clock: { now: toDateTime(worldMs), frozen, rate_offset_ms: rateOffsetMs },
    rate_windows: [...windows],
    records: records.dump(),
    published: published ? toDifference(records.indexes, published) : null,
    commands: applied,
  }
  return JSON.stringify(snapshot)
}

/** What a snapshot comes to: the world's parts as they stood. */
export interface Restored {
  records: Records
  clock: ClockPosition
  memory: EngineMemory
  applied: Snapshot['commands']
}

/**
 * Makes the parts of a world anew from a snapshot that was checked. Those there are stay as they are, so
 * that the new ones can take their place in one step.
 */
export async function restoreSnapshot(snapshot: Snapshot): Promise<Restored> {
  const { now, frozen, rate_offset_ms } = snapshot.clock
  const worldMs = resolveMs(now, 0)
  const records = new Records()
  const published = snapshot.published ? await loadPublished(records, snapshot, worldMs) : undefined
  await records.load(snapshot.records, worldMs)
  return {
    records,
    clock: { worldMs, frozen, rateOffsetMs: rate_offset_ms },
    memory: { worldMs, windows: snapshot.rate_windows, published },
    applied: snapshot.commands,
  }
}

/** To be loaded before the others, so that the revision of what was is below that of what is. */
async function loadPublished(
  records: Records,
  { records: current, published }: Snapshot,
  worldMs: number,
): Promise<RecordReader> {
  await records.load(withDifference(current, published), worldMs)
  return records.indexes.snapshot()
}

function toDifference(current: RecordReader, published: RecordReader): Snapshot['published'] {
  const changed = mapCollections((name) =>
    published.all(name).filter((record) => !isSame(record, current.get(name, record.id))),
  )
  const added = mapCollections((name) =>
    current
      .all(name)
      .filter(({ id }) => published.get(name, id) === undefined)
      .map(({ id }) => id),
  )
  const isNothing = [...Object.values(changed), ...Object.values(added)].every(
    ({ length }) => length === 0,
  )
  return isNothing ? null : { changed: changed as RecordSet, added }
}

function withDifference(records: RecordSet, published: Snapshot['published']): RecordSet {
  if (!published) return records
  return mapCollections((name) => {
    const changed = published.changed[name]
    const replaced = new Set([...changed.map(({ id }) => id), ...published.added[name]])
    return [...records[name].filter(({ id }) => !replaced.has(id)), ...changed]
  }) as RecordSet
}

/** Records that are generated are made anew at each reading, so that identity alone tells too little. */
function isSame(one: AnyRecord, other: AnyRecord | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function mapCollections<Value>(
  make: (name: CollectionName) => Value,
): Record<CollectionName, Value> {
  const entries = COLLECTION_NAMES.map((name) => [name, make(name)])
  return Object.fromEntries(entries) as Record<CollectionName, Value>
}

/** So many are told of a snapshot with more; each could have one for every record. */
const MAXIMUM_PROBLEMS = 20

/** A snapshot as a command brings it: of this version, and a world that a fixture could describe. */
export const SnapshotInput: z.ZodType<Snapshot, Snapshot> = z
  .custom<Snapshot>(() => true)
  .transform((input: unknown, context): Snapshot => {
    const checked = checkSnapshot(input)
    if ('value' in checked) return checked.value
    for (const { path, message } of checked.problems.slice(0, MAXIMUM_PROBLEMS)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
    return z.NEVER
  })

function checkSnapshot(input: unknown): { value: Snapshot } | { problems: Problem[] } {
  const problem = versionProblem(input)
  if (problem) return { problems: [problem] }
  const outline = validate(Outline, input)
  if ('problems' in outline) return outline

  const problems: Problem[] = []
  const { published, ...rest } = outline.value
  const value: Snapshot = {
    ...rest,
    rate_windows: readList(Windows, rest.rate_windows, ['rate_windows'], problems),
    records: readRecords(rest.records, ['records'], problems),
    published: published && {
      changed: readRecords(published.changed, ['published', 'changed'], problems),
      added: published.added,
    },
    commands: readList(Applied, rest.commands, ['commands'], problems),
  }
  if (problems.length === 0) findBroken(value.records, ['records'], problems)
  if (problems.length === 0 && value.published) {
    findBroken(withDifference(value.records, value.published), ['published'], problems)
  }
  return problems.length > 0 ? { problems } : { value }
}

const REMEDY = 'Take a new one, with snapshot() or GET /_sandbox/snapshots.'

/** Whether it is a snapshot at all, and one of this release. */
function versionProblem(input: unknown): Problem | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { path: [], message: `${describe(input)} is not a snapshot. ${REMEDY}` }
  }
  const { version }: { version?: unknown } = input
  if (version === VERSION) return undefined
  const message =
    typeof version === 'number'
      ? `This snapshot is of version ${version}, and this release of seo-sandbox reads version ${VERSION}. Take a new one.`
      : `This is not a snapshot: it has no version. ${REMEDY}`
  return { path: ['version'], message }
}

/** The records, each judged by itself; what is wrong with them is added to the problems. */
function readRecords(
  unread: z.infer<typeof UnreadRecords>,
  base: Path,
  problems: Problem[],
): RecordSet {
  return mapCollections((name) => {
    const schema: z.ZodType<AnyRecord> = COLLECTIONS[name]
    return readList(schema, unread[name], [...base, name], problems)
  }) as RecordSet
}

function readList<Item>(
  schema: z.ZodType<Item>,
  unread: readonly unknown[],
  base: Path,
  problems: Problem[],
): Item[] {
  const items: Item[] = []
  for (const [index, input] of unread.entries()) {
    if (problems.length >= MAXIMUM_PROBLEMS) return items
    const checked = validate(schema, input)
    if ('value' in checked) items.push(checked.value)
    else problems.push(...within([...base, index], checked.problems))
  }
  return items
}

function within(base: Path, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: [...base, ...problem.path] }))
}

/** Adds what all records together break: ids that stand twice, and the rules between records. */
function findBroken(records: RecordSet, base: Path, problems: Problem[]): void {
  const indexes = new Indexes()
  for (const name of COLLECTION_NAMES) {
    for (const [index, record] of records[name].entries()) {
      if (indexes.get(name, record.id)) {
        const message = `There is another ${SINGULAR[name]} ${record.id}. Give each an id of its own.`
        problems.push({ path: [...base, name, index, 'id'], message })
      } else indexes.put(name, record)
    }
  }
  for (const name of COLLECTION_NAMES) {
    for (const [index, record] of records[name].entries()) {
      if (problems.length >= MAXIMUM_PROBLEMS) return
      problems.push(...within([...base, name, index], findViolations(name, record, indexes)))
    }
  }
}
