import { z } from 'zod'
import { COLLECTION_NAMES, mapCollections, SINGULAR } from '../contract/collection-facts.ts'
import { COLLECTIONS } from '../contract/records.ts'
import type { AnyRecord, RecordSet } from '../contract/records.ts'
import { describe } from '../contract/text.ts'
import { resolveMs } from '../contract/time.ts'
import { validate } from '../contract/validate.ts'
import { atPlace, MAXIMUM_PROBLEMS } from '../contract/validation.ts'
import type { Problem, Path } from '../contract/validation.ts'
import type { GapWindows } from '../engine/gap-finder.ts'
import type { Seed } from '../fixtures/seed.ts'
import { AppliedCommand } from '../journal/applied-command.ts'
import type { Indexes } from '../records/indexes.ts'
import { findViolations } from '../records/integrity.ts'
import { ReportProgress } from '../records/report-progress.ts'
import { Records } from '../records/world-records.ts'
import type { StoredRecords } from '../records/world-records.ts'
import { Clock } from './clocks.ts'
import { CommandError } from './command-error.ts'
import { withKind } from './faults/with-kind.ts'
import {
  withNamespacedSnapshot,
  Snapshot,
  CountedWindows,
  SNAPSHOT_VERSION,
  StaleRecords,
} from './snapshot.ts'
import { requireFew, requireShortTokens, completeState, createFaults } from './world-state.ts'
import type { WorldOptions, WorldState } from './world-state.ts'

/**
 * Returns the state restored from a snapshot. Its clock continues after everything else is ready.
 *
 * @throws CommandError for more generated projects or longer bearer values than a world may have, and for records that do not fit
 * together.
 */
export async function restoreState(options: WorldOptions, taken: Snapshot): Promise<WorldState> {
  const { maximumGenerated } = options
  const path = ['snapshot', 'origin', 'generation', 'options', 'projects']
  requireFew(taken.origin.generation?.options.projects, { maximumGenerated, path })
  requireShortTokens(taken.records.tokens, ['snapshot', 'records', 'tokens'])
  const state = await resumeState(options, withNamespacedSnapshot(taken, options))
  return { ...state, isRestored: true }
}

/**
 * Restores a snapshot that has the bearer values of this world.
 *
 * @param seed The seed whose policies are in force; if omitted, the seed that a reset returns to.
 * @param gapWindows The windows counted under policies not in force; none if omitted.
 *
 * @throws CommandError for records that do not fit together.
 */
export async function resumeState(
  options: WorldOptions,
  snapshot: Snapshot,
  { seed: loaded = options.seed, gapWindows }: { seed?: Seed; gapWindows?: GapWindows } = {},
): Promise<WorldState> {
  const { now, frozen, rate_offset_ms } = snapshot.clock
  const { seed, loaded_at, progress: asProgress, reads } = snapshot.origin
  const [worldMs, loadedMs] = [resolveMs(now, 0), resolveMs(loaded_at, 0)]
  const clock = new Clock(options.realNow)
  const progress = new ReportProgress({
    progress: asProgress,
    seed,
    loadedMs,
    clock,
    reads: reads.map(([project, count, movedTo]) => [project, count, resolveMs(movedTo, 0)]),
  })
  const { records, staleView } = await restoreRecords(snapshot, { worldMs, progress })
  if (progress.isMoving) {
    for (const indexes of staleView ? [records.indexes, staleView] : [records.indexes]) {
      await progress.texts.loadFor({
        countries: indexes.allStored('countries'),
        languages: indexes.allStored('languages'),
        projects: indexes.allStored('projects'),
        reports: indexes.allStored('reports'),
      })
    }
  }
  clock.resume({ worldMs, frozen, rateOffsetMs: rate_offset_ms })
  const engineState = { worldMs, windows: snapshot.rate_windows, staleView }
  const faults = createFaults(options, clock)
  faults.restore(snapshot.faults, withKind)
  const commandPolicies = snapshot.policies
  const parts = { seed: loaded, clock, records, progress, faults, commandPolicies }
  return completeState(options, { ...parts, engineState, gapWindows })
}

/**
 * Returns the records of a snapshot and its stale view.
 *
 * @throws CommandError for records that do not fit together.
 */
async function restoreRecords(
  snapshot: Snapshot,
  { worldMs, progress }: { worldMs: number; progress: ReportProgress },
): Promise<{ records: Records; staleView: Indexes | undefined }> {
  const records = new Records()
  records.moveReports(progress)
  const before = snapshot.published && toStoredRecords(snapshot.records, snapshot.published)
  const { seed, loaded_at, generation } = snapshot.origin
  if (generation) {
    const { removed } = before ?? snapshot
    records.indexes.removeForGood(removed)
    const { resumeGenerator } = await import('../records/generation/generator.ts')
    const input = { seed, loadedMs: resolveMs(loaded_at, 0), ...generation }
    const generator = await resumeGenerator(input, progress)
    records.generate(generator)
  }
  if (before) {
    records.resume(before, worldMs)
    refuse(findBroken(before, records.indexes, ['published']))
  }
  // The stale view is copied before the current records are restored, so that its revision is lower than theirs.
  const staleView = before ? records.indexes.snapshot() : undefined
  records.resume(snapshot, worldMs)
  refuse(findBroken(snapshot, records.indexes, ['records']))
  return { records, staleView }
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  throw new CommandError('invalid_command', atPlace(['snapshot'], problems))
}

/** Schema of records by collection, which validates each record by itself. */
const BoundedRecords = z.strictObject(
  mapCollections((name) => boundedList<AnyRecord>(COLLECTIONS[name])),
) as unknown as z.ZodType<RecordSet>

/** A snapshot from an unknown source. The items of its lists are validated one by one, up to `MAXIMUM_PROBLEMS` problems. */
const SentSnapshot = Snapshot.extend({
  rate_windows: boundedList(CountedWindows),
  records: BoundedRecords,
  published: StaleRecords.extend({ changed: BoundedRecords }).nullable(),
  commands: boundedList(AppliedCommand),
})

/** Creates a schema for a list whose items are validated one by one, until there are `MAXIMUM_PROBLEMS` problems. */
function boundedList<Item>(schema: z.ZodType<Item>): z.ZodType<Item[]> {
  return z.array(z.unknown()).transform((inputs, context) => {
    const items: Item[] = []
    for (const [index, input] of inputs.entries()) {
      if (context.issues.length >= MAXIMUM_PROBLEMS) break
      const checked = validate(schema, input)
      if ('value' in checked) items.push(checked.value)
      for (const { path, message, isKey } of 'problems' in checked ? checked.problems : [])
        context.addIssue({ code: 'custom', path: [index, ...path], message, params: { isKey } })
    }
    return items
  })
}

/** A snapshot in a command: it must have the version that this release reads, and valid records with unique ids. */
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
  const checked = validate(SentSnapshot, input)
  if ('problems' in checked) return checked
  const { records, published } = checked.value
  const problems = [
    ...findDuplicates(records, ['records']),
    ...(published ? findDuplicates(published.changed, ['published', 'changed']) : []),
  ]
  return problems.length > 0 ? { problems } : checked
}

const REMEDY = 'Take a new one, with snapshot() or GET /_sandbox/snapshots.'

/** Returns the problem of input that is not a snapshot of this version; undefined for one that is. */
function versionProblem(input: unknown): Problem | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { path: [], message: `${describe(input)} is not a snapshot. ${REMEDY}` }
  }
  const { version, taken_at }: { version?: unknown; taken_at?: unknown } = input
  // A fixture has version 1 too.
  const isFixture = version === 1 && taken_at === undefined
  if (typeof version !== 'number' || isFixture) {
    return { path: [], message: `This is not a snapshot. ${REMEDY}` }
  }
  if (version === SNAPSHOT_VERSION) return undefined
  const message = `This snapshot is of version ${version}, and this release of seo-sandbox reads version ${SNAPSHOT_VERSION}. Take a new one.`
  return { path: ['version'], message }
}

function findDuplicates(records: RecordSet, base: Path): Problem[] {
  return COLLECTION_NAMES.flatMap((name) => {
    const seen = new Set<number>()
    return records[name].flatMap(({ id }, index) => {
      const message = `There is another ${SINGULAR[name]} ${id}. Give each an id of its own.`
      const isDuplicate = seen.has(id)
      seen.add(id)
      return isDuplicate ? [{ path: [...base, name, index, 'id'], message }] : []
    })
  })
}

/**
 * Returns the problems of records with dangling references, duplicate values or fields that do not fit together, at most
 * `MAXIMUM_PROBLEMS`. `together` indexes these records and the generated ones.
 */
export function findBroken(
  { records }: Pick<StoredRecords, 'records'>,
  together: Indexes,
  base: Path,
): Problem[] {
  const problems: Problem[] = []
  for (const name of COLLECTION_NAMES) {
    for (const [index, record] of records[name].entries()) {
      problems.push(...atPlace([...base, name, index], findViolations(name, record, together)))
      if (problems.length >= MAXIMUM_PROBLEMS) return problems.slice(0, MAXIMUM_PROBLEMS)
    }
  }
  return problems
}

/** Returns the records that a stale view shows, from the current records and the difference. */
export function toStoredRecords(
  records: RecordSet,
  { changed, added, ...rest }: StaleRecords,
): StoredRecords {
  const before = mapCollections((name) => {
    const replaced = new Set([...changed[name].map(({ id }) => id), ...added[name]])
    return [...records[name].filter(({ id }) => !replaced.has(id)), ...changed[name]]
  })
  return { ...rest, records: before as RecordSet }
}
