import { z } from 'zod'
import { charactersOf } from '../../contract/limits.ts'
import { AnyRecord, COLLECTIONS } from '../../contract/records.ts'
import type { RecordOf } from '../../contract/records.ts'
import { COLLECTION_NAMES, REFERENCES, SINGULAR } from '../../contract/collection-facts.ts'
import type { CollectionName } from '../../contract/collection-facts.ts'
import type { ReportRecord } from '../../contract/report.ts'
import { hasContent } from '../../contract/report-facts.ts'
import { validate } from '../../contract/validate.ts'
import type { Problem } from '../../contract/validation.ts'
import type { Indexes } from '../../records/indexes.ts'
import { findViolations, explainReferences } from '../../records/integrity.ts'
import { createMomentResolver } from '../../records/moment-resolver.ts'
import { withoutSuffix } from '../../records/bearer-tokens.ts'
import type { Records } from '../../records/world-records.ts'
import { withOwnContent } from '../../records/report-texts.ts'
import { CommandError, recordNotFound } from '../command-error.ts'
import { requireShortTokens } from '../world-state.ts'
import type { WorldOptions, WorldState } from '../world-state.ts'
import type { Additions, PreparedCommand, WorldParts } from './command.ts'

export const CollectionNameSchema = z.enum(COLLECTION_NAMES).meta({ title: 'collection' })
export const RecordId = z.int().describe('The id of the record')

/** Fields of a record. A key `__proto__` is refused like any unknown field; Zod would drop it silently. */
export const RecordFields: z.ZodType<
  Record<string, unknown>,
  Record<string, unknown>
> = z.preprocess(
  (input, context) => {
    if (typeof input === 'object' && input !== null && Object.hasOwn(input, '__proto__')) {
      const message = '"__proto__" is not a field here. Leave it out.'
      context.addIssue({ code: 'custom', path: ['__proto__'], message })
    }
    return input
  },
  z.record(z.string(), z.unknown()),
)

/** The result of `record.put` and `record.patch`. */
export const PutResult = z.strictObject({
  record: AnyRecord,
  created: z.boolean().describe('True if no record had this id before'),
})
export type PutResult = z.infer<typeof PutResult>

interface WrittenFields {
  collection: CollectionName
  /** The record as it will be stored, before validation. */
  record: object
  /** Fields of the record that the command contains. */
  fields: object
  /** Name of the field of the command whose value is `fields`, for messages. */
  at: string
  /** Id of the replaced record, if it differs from the id of `record`. */
  replaced?: number
}

/** Returns the growth of a world when a record is added or replaces another. */
export function growthBy(
  { state: { records } }: WorldParts,
  { collection, record, fields, at, replaced }: WrittenFields,
): Additions {
  const { indexes } = records
  const { id, project } = record as { id: number; project?: number }
  const stored = indexes.stored(collection, replaced ?? id)
  // Project whose completed reports are stored before the change, which adds text.
  const settled = collection === 'projects' ? id : collection === 'keywords' ? project : undefined
  const growth = charactersOf(record) - (stored ? charactersOf(stored) : 0)
  const keywords = collection === 'keywords' ? indexes.keywordsOf(project ?? NaN) : []
  return {
    ...(!stored && { records: 1 }),
    ...(!stored && collection === 'projects' && { projects: 1 }),
    text: growth + (settled === undefined ? 0 : records.growthBySettling(settled)),
    keywords: keywords.length + (keywords.some((keyword) => keyword.id === id) ? 0 : 1),
    written: [{ path: [at], fields, record }],
  }
}

/** Returns a record as a command stores it: a generated report with its content written, any other record unchanged. */
export function asStored(
  { indexes }: Records,
  collection: CollectionName,
  record: AnyRecord,
): AnyRecord {
  const isGenerated = indexes.stored(collection, record.id) === undefined
  return collection === 'reports' && isGenerated
    ? withOwnContent(record as ReportRecord, indexes)
    : record
}

export function completedReport(
  collection: CollectionName,
  record: AnyRecord,
): ReportRecord | undefined {
  const { status } = record as ReportRecord
  return collection === 'reports' && status === 'completed' ? (record as ReportRecord) : undefined
}

/** Prepares a change of records. Until the next refresh, responses may show the records as they were before (G-058). */
export function changingRecords<Result>(
  { engine: { staleView } }: WorldState,
  change: () => Result,
): PreparedCommand<Result> {
  return {
    apply: () => {
      const restoreView = staleView.savepoint()
      staleView.keep()
      try {
        return change()
      } catch (error) {
        restoreView()
        throw error
      }
    },
  }
}

/** @throws CommandError for an unknown id. */
export function existingRecord<Name extends CollectionName>(
  records: Records,
  collection: Name,
  id: number,
): RecordOf<Name> {
  const record = records.indexes.get(collection, id)
  if (record) return record
  throw recordNotFound(`There is no ${SINGULAR[collection]} ${id}.`)
}

/**
 * Validates a record in the fixture's form. Prepares the command that adds the record, or replaces the one with the same id.
 *
 * @throws CommandError for a record that is invalid, or does not fit the other records.
 */
export async function replacingRecord(
  parts: WorldParts,
  collection: CollectionName,
  input: Record<string, unknown>,
): Promise<PreparedCommand<PutResult>> {
  const { records } = parts.state
  const record = checkRecord(parts, collection, input)
  await loadTextsOf(parts.state, record)
  const change = changingRecords(parts.state, () => {
    const created = records.indexes.get(collection, record.id) === undefined
    if ('keyword' in record) records.settle(record.project)
    if ('text_language' in record) records.settle(record.id)
    records.put(collection, record)
    return { record: structuredClone(record), created }
  })
  return 'token' in record ? { ...change, tokens: [record] } : change
}

/**
 * Loads the texts that reports may need when they complete by themselves: for a changed project, those of its language; for a
 * changed language or country, those of every language that its label may select.
 */
async function loadTextsOf(
  { records: { indexes }, progress }: WorldState,
  record: AnyRecord,
): Promise<void> {
  if (!progress.isMoving) return
  if ('text_language' in record) await progress.texts.load(record, indexes)
  else if ('label' in record) {
    const name = 'applicable' in record ? 'countries' : 'languages'
    await progress.texts.loadLabel(name, record.label, indexes)
  }
}

/**
 * Validates a record in the fixture's form, and resolves its dates. In a world with `suffixesAll`, adds the suffix to the bearer
 * value of a token.
 *
 * @throws CommandError for a record that is invalid, or does not fit the other records.
 */
export function checkRecord<Name extends CollectionName>(
  { options, state: { records, clock } }: WorldParts,
  collection: Name,
  input: Record<string, unknown>,
): RecordOf<Name> {
  const checked = validate<z.ZodType<AnyRecord>>(COLLECTIONS[collection], input)
  if ('problems' in checked) {
    const problems = explainReferences(collection, input, checked.problems, records.indexes)
    throw new CommandError('invalid_command', problems)
  }
  const resolver = createMomentResolver(clock.worldMs())
  const resolved = resolver.resolve(collection, checked.value as RecordOf<Name>)
  const record = options.suffixesAll === true ? withSuffix(resolved, options) : resolved
  const violations = [
    ...findViolations(collection, record, records.indexes),
    ...strandedContent(records, collection, record),
  ]
  if (violations.length > 0) throw new CommandError('invalid_command', violations)

  if ('token' in record) requireShortTokens([...records.indexes.all('tokens'), record], ['token'])
  return record
}

/** Returns a record with some fields replaced; null removes a field that may be absent but not null. */
export function mergeFields(
  collection: CollectionName,
  current: AnyRecord,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...current, ...fields }
  for (const [field, schema] of Object.entries(COLLECTIONS[collection].shape)) {
    const isRemoval =
      fields[field] === null &&
      !schema.safeParse(null).success &&
      schema.safeParse(undefined).success
    if (isRemoval) delete merged[field]
  }
  return merged
}

function withSuffix<Checked extends AnyRecord>(
  record: Checked,
  { tokenSuffix }: WorldOptions,
): Checked {
  if (!('token' in record)) return record
  return { ...record, token: withoutSuffix(record.token) + tokenSuffix }
}

/** Returns a problem if a keyword moves to another project although reports have content for it; otherwise none. */
function strandedContent(
  records: Records,
  collection: CollectionName,
  record: AnyRecord,
): Problem[] {
  if (collection !== 'keywords') return []
  const previous = records.indexes.get('keywords', record.id)
  if (!previous || previous.project === (record as RecordOf<'keywords'>).project) return []
  const inUse = findInUse(records, 'keywords', previous)
  return inUse ? [{ path: ['project'], message: inUse.message }] : []
}

export interface Referrer {
  collection: CollectionName
  record: AnyRecord
}

/**
 * Returns every record that refers to a record; none for a project, whose keywords and reports are deleted with it. Skips
 * generated keywords and reports, but for a keyword searches all reports of its project.
 */
function referrersTo({ indexes }: Records, target: CollectionName, record: AnyRecord): Referrer[] {
  if (target === 'projects') return []
  if (target === 'keywords') return reportsWith(indexes, record as RecordOf<'keywords'>)
  return COLLECTION_NAMES.flatMap((collection) => {
    const fields = Object.keys(REFERENCES[collection]).filter(
      (field) => REFERENCES[collection][field] === target,
    )
    if (fields.length === 0) return []
    return indexes
      .allStored(collection)
      .filter((candidate: Record<string, unknown>) =>
        fields.some((field) => candidate[field] === record.id),
      )
      .map((referrer) => ({ collection, record: referrer }))
  })
}

/** Returns the reports that have content for a keyword; all of them belong to its project. */
function reportsWith(indexes: Indexes, { id, project }: RecordOf<'keywords'>): Referrer[] {
  return indexes
    .reportsOf(project)
    .filter((report) => hasContent(report, id))
    .map((record) => ({ collection: 'reports', record }))
}

const SHOWN_REFERRERS = 5

/** Returns the error for removing or moving a record to which others refer; undefined if none do. */
export function findInUse(
  records: Records,
  collection: CollectionName,
  record: AnyRecord,
): CommandError | undefined {
  const referrers = referrersTo(records, collection, record)
  if (referrers.length === 0) return undefined
  const names = referrers
    .slice(0, SHOWN_REFERRERS)
    .map((referrer) => `${SINGULAR[referrer.collection]} ${referrer.record.id}`)
  const more = referrers.length - names.length
  const list = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  const message = `${SINGULAR[collection]} ${record.id} is still referenced by ${list}. Change or delete them first.`
  return new CommandError('record_in_use', [{ path: [], message }])
}
