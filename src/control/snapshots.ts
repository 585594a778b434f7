import { z } from 'zod'
import { DateTime, Id } from '../contract/conventions.ts'
import { describe } from '../contract/describe.ts'
import { findViolations } from '../contract/integrity.ts'
import { DateTimeInput, LATEST_MS, resolveMs, toDateTime } from '../contract/moments.ts'
import { COLLECTION_NAMES, COLLECTIONS, mapCollections, SINGULAR } from '../contract/records.ts'
import type { AnyRecord, CollectionName, RecordSet } from '../contract/records.ts'
import { atPlace, MAXIMUM_PROBLEMS, validate } from '../contract/validation.ts'
import type { Path, Problem } from '../contract/validation.ts'
import { Generate } from '../contract/generate.ts'
import { PolicySettings } from '../contract/policies.ts'
import { Progress } from '../contract/progress.ts'
import type { TokenWindows } from '../engine/rate-limiter.ts'
import type { Ingredients } from '../world/generate/plan.ts'
import { Indexes } from '../world/indexes.ts'
import type { ReportProgress } from '../world/progress.ts'
import type { Holdings } from '../world/records.ts'
import { AppliedCommand } from './answers/applied-command.ts'
import { SavedFaults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { WorldState } from './world-state.ts'

/** Grows with every change of the form that an older release could not read. */
const VERSION = 2

const Moment = DateTime.pipe(DateTimeInput)

const Counted = z.array(
  z.strictObject({
    age_ms: z.number().min(-LATEST_MS).max(LATEST_MS),
    requests: z.number().nonnegative().max(1e9),
  }),
)

/** What the rate windows of a token have counted. */
export const TokenWindowsForm: z.ZodType<TokenWindows> = z.strictObject({
  token: Id,
  minute: Counted,
  hour: Counted,
})

/** A list whose items are still to be judged, one by one, so that what is said of them is bounded. */
const Unread = z.array(z.unknown())
const UnreadRecords = z.strictObject(mapCollections(() => Unread))

const Ids = z.array(Id)
const UnreadHoldings = {
  removed: z.strictObject({ projects: Ids, keywords: Ids, reports: Ids }),
  stated: Ids,
}

/** What a generated world was made from, but for the seed and the time of its load. */
const Generation = z.strictObject({
  options: Generate,
  agencies: z.array(z.strictObject({ id: Id, users: Ids })).min(1),
  country: Id.nullable(),
  language: Id.nullable(),
})

const Origin = z.strictObject({
  seed: z.string().min(1),
  loaded_at: Moment,
  progress: Progress,
  reads: z.array(z.tuple([Id, z.int().nonnegative()])),
  generation: Generation.nullable(),
})

/** The outside of a snapshot. */
export const SnapshotOutline = z.strictObject({
  version: z.literal(VERSION),
  taken_at: Moment,
  clock: z.strictObject({
    now: Moment,
    frozen: z.boolean(),
    rate_offset_ms: z.number().nonnegative().max(LATEST_MS),
  }),
  rate_windows: Unread,
  origin: Origin,
  policies: PolicySettings,
  faults: SavedFaults,
  records: UnreadRecords,
  ...UnreadHoldings,
  published: z
    .strictObject({
      changed: UnreadRecords,
      added: z.strictObject(mapCollections(() => Ids)),
      ...UnreadHoldings,
    })
    .nullable(),
  sequence: z.int().nonnegative(),
  commands: Unread,
})

/**
 * A world as it stood at one moment, as plain JSON. It holds the bearer values of the tokens, which are
 * part of their records: keep it as secret as those are. How the sandbox was made (its own policies and
 * limits, the fixtures that a reset goes back to) is no part of it; what commands have set is.
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
  /** The policies that commands have set, by name. */
  policies: Record<string, string>
  /** The faults that are armed, and how often each has fired. */
  faults: SavedFaults
  /** Where what moves by itself, or is made up, comes from. */
  origin: z.infer<typeof Origin>
  /**
   * Every record in the fixture's form, keywords and reports with their `project`, dates absolute. Of
   * what is made up it has only what was changed since.
   */
  records: RecordSet
  /** The ids of made-up records that were removed. */
  removed: Holdings['removed']
  /** The ids of reports that a command has stated, so that they do not move. */
  stated: number[]
  /**
   * How what answers showed differed from the records, where policy has data go stale (G-058): records
   * as they were before a change, and the ids of those that were not there yet. null where they did not.
   */
  published: Difference | null
  /** How many requests and commands there were. */
  sequence: number
  /** The commands applied, the oldest first, without bearer values. */
  commands: AppliedCommand[]
}

/** What was held before, told by what is held now. */
interface Difference extends Omit<Holdings, 'records'> {
  changed: RecordSet
  added: Record<CollectionName, number[]>
}

/** What a snapshot is taken of. */
interface Snapshotted {
  world: WorldState
  journal: Pick<Journal, 'sequence' | 'commands'>
  /** The machine's clock in epoch milliseconds. */
  realMs: number
}

/** The text of a snapshot, in JSON. */
export function writeSnapshot({ world, journal, realMs }: Snapshotted): string {
  const { clock, records, progress, engine, faults, ownPolicies } = world
  const { worldMs, frozen, rateOffsetMs } = clock.position
  const { windows, published } = engine.memoryAt(worldMs)
  const holdings = records.save()
  const snapshot: Snapshot = {
    version: VERSION,
    taken_at: toDateTime(realMs),
    clock: { now: toDateTime(worldMs), frozen, rate_offset_ms: rateOffsetMs },
    rate_windows: [...windows],
    policies: ownPolicies,
    faults: faults.save(),
    origin: toOrigin(progress, records.indexes.generated?.ingredients),
    ...holdings,
    published:
      published instanceof Indexes ? toDifference(holdings, records.save(published)) : null,
    sequence: journal.sequence,
    commands: [...journal.commands],
  }
  return JSON.stringify(snapshot)
}

function toOrigin(
  progress: ReportProgress,
  ingredients: Ingredients | undefined,
): Snapshot['origin'] {
  const { loadedMs, ...saved } = progress.save()
  const { options, agencies = [], country = null, language = null } = ingredients ?? {}
  return {
    ...saved,
    loaded_at: toDateTime(loadedMs),
    generation: options
      ? {
          options,
          agencies: agencies.map(({ id, users }) => ({ id, users: [...users] })),
          country,
          language,
        }
      : null,
  }
}

/** What a generated world was made from; undefined where nothing is made up. */
export function toIngredients({
  seed,
  loaded_at,
  generation,
}: Snapshot['origin']): Ingredients | undefined {
  return generation ? { seed, loadedMs: resolveMs(loaded_at, 0), ...generation } : undefined
}

function toDifference(current: Holdings, { records, ...rest }: Holdings): Difference | null {
  const held = mapCollections((name) => new Set<AnyRecord>(current.records[name]))
  const ids = mapCollections((name) => new Set(records[name].map(({ id }) => id)))
  const changed = mapCollections((name) =>
    records[name].filter((record) => !held[name].has(record)),
  )
  const added = mapCollections((name) =>
    current.records[name].filter(({ id }) => !ids[name].has(id)).map(({ id }) => id),
  )
  const isNothing = [...Object.values(changed), ...Object.values(added)].every(
    ({ length }) => length === 0,
  )
  const isSame = isNothing && JSON.stringify(rest.removed) === JSON.stringify(current.removed)
  return isSame ? null : { changed: changed as RecordSet, added, ...rest }
}

/** What was held when answers showed it. */
export function withDifference(
  records: RecordSet,
  { changed, added, removed, stated }: Difference,
): Holdings {
  const before = mapCollections((name) => {
    const replaced = new Set([...changed[name].map(({ id }) => id), ...added[name]])
    return [...records[name].filter(({ id }) => !replaced.has(id)), ...changed[name]]
  })
  return { records: before as RecordSet, removed, stated }
}

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
  const outline = validate(SnapshotOutline, input)
  if ('problems' in outline) return outline

  const problems: Problem[] = []
  const { published, ...rest } = outline.value
  const value: Snapshot = {
    ...rest,
    rate_windows: readList(TokenWindowsForm, rest.rate_windows, ['rate_windows'], problems),
    records: readRecords(rest.records, ['records'], problems),
    published: published && {
      ...published,
      changed: readRecords(published.changed, ['published', 'changed'], problems),
    },
    commands: readList(AppliedCommand, rest.commands, ['commands'], problems),
  }
  problems.push(...findTwice(value.records, ['records']))
  if (value.published)
    problems.push(...findTwice(value.published.changed, ['published', 'changed']))
  return problems.length > 0 ? { problems } : { value }
}

const REMEDY = 'Take a new one, with snapshot() or GET /_sandbox/snapshots.'

/** Whether it is a snapshot at all, and one of this release. */
function versionProblem(input: unknown): Problem | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { path: [], message: `${describe(input)} is not a snapshot. ${REMEDY}` }
  }
  const { version, taken_at }: { version?: unknown; taken_at?: unknown } = input
  // What is only a fixture has version 1 too.
  const isFixture = version === 1 && taken_at === undefined
  if (typeof version !== 'number' || isFixture) {
    return { path: [], message: `This is not a snapshot. ${REMEDY}` }
  }
  if (version === VERSION) return undefined
  const message = `This snapshot is of version ${version}, and this release of seo-sandbox reads version ${VERSION}. Take a new one.`
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
    else problems.push(...atPlace([...base, index], checked.problems))
  }
  return items
}

function findTwice(records: RecordSet, base: Path): Problem[] {
  return COLLECTION_NAMES.flatMap((name) => {
    const seen = new Set<number>()
    return records[name].flatMap(({ id }, index) => {
      const message = `There is another ${SINGULAR[name]} ${id}. Give each an id of its own.`
      const isTwice = seen.has(id)
      seen.add(id)
      return isTwice ? [{ path: [...base, name, index, 'id'], message }] : []
    })
  })
}

/** What records break that are to be held together, and with what is made up beside them. */
export function findBroken(
  { records }: Pick<Holdings, 'records'>,
  together: Indexes,
  base: Path,
): Problem[] {
  const problems = COLLECTION_NAMES.flatMap((name) =>
    records[name].flatMap((record, index) =>
      atPlace([...base, name, index], findViolations(name, record, together)),
    ),
  )
  return problems.slice(0, MAXIMUM_PROBLEMS)
}
