import { z } from 'zod'
import { describe } from '../contract/text.ts'
import { COLLECTION_NAMES, mapCollections, SINGULAR } from '../contract/collection-facts.ts'
import { COLLECTIONS } from '../contract/records.ts'
import type { AnyRecord, RecordSet } from '../contract/records.ts'
import { atPlace, MAXIMUM_PROBLEMS } from '../contract/validation.ts'
import { validate } from '../contract/validate.ts'
import type { Path, Problem } from '../contract/validation.ts'
import { AppliedCommand } from '../journal/applied-command.ts'
import type { Indexes } from '../records/indexes.ts'
import { findViolations } from '../records/integrity.ts'
import type { HeldRecords } from '../records/world-records.ts'
import { CountedWindows, Snapshot, SNAPSHOT_VERSION, StaleRecords } from './snapshot.ts'

/** Records that are validated one by one. */
const BoundedRecords = z.strictObject(
  mapCollections((name) => boundedList<AnyRecord>(COLLECTIONS[name])),
) as unknown as z.ZodType<RecordSet>

/** A snapshot from anywhere, in which every item may have a problem. */
const SentSnapshot = Snapshot.extend({
  rate_windows: boundedList(CountedWindows),
  records: BoundedRecords,
  published: StaleRecords.extend({ changed: BoundedRecords }).nullable(),
  commands: boundedList(AppliedCommand),
})

/** A list whose items are validated one by one, until there are too many problems to list. */
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

/** The snapshot of a command: of a version that this release reads, and of a world that a fixture could describe. */
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

/** What is wrong with anything but a snapshot of this version. */
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

/** The problems of records whose references are broken; `together` also indexes the generated records. */
export function findBroken(
  { records }: Pick<HeldRecords, 'records'>,
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

/** The records of a stale view. */
export function toHeldRecords(
  records: RecordSet,
  { changed, added, ...held }: StaleRecords,
): HeldRecords {
  const before = mapCollections((name) => {
    const replaced = new Set([...changed[name].map(({ id }) => id), ...added[name]])
    return [...records[name].filter(({ id }) => !replaced.has(id)), ...changed[name]]
  })
  return { ...held, records: before as RecordSet }
}
