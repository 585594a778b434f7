import { findViolations } from '../contract/integrity.ts'
import {
  COLLECTION_NAMES,
  COLLECTIONS,
  createMomentResolver,
  REFERENCES,
  SINGULAR,
} from '../contract/records.ts'
import type { AnyRecord, CollectionName, RecordOf } from '../contract/records.ts'
import { hasContent } from '../contract/report.ts'
import { validate } from '../contract/validation.ts'
import type { Problem } from '../contract/validation.ts'
import type { Indexes } from '../world/indexes.ts'
import type { Records } from '../world/records.ts'
import type { PutResult } from './answers/command-result.ts'
import { CommandError, invalidCommand, recordNotFound } from './command-error.ts'
import type { CheckedCommand } from './commands.ts'

type CommandOf<Type extends CheckedCommand['type']> = Extract<CheckedCommand, { type: Type }>

/** Adds a record in the fixture's form, or replaces the one with its id: when what this gives is called. */
export async function putRecord(
  records: Records,
  { collection, record }: CommandOf<'record.put'>,
  nowMs: number,
): Promise<() => PutResult> {
  return replaceRecord(records, collection, record, nowMs)
}

/** Replaces some fields of a record, likewise. */
export async function patchRecord(
  records: Records,
  { collection, id, patch }: CommandOf<'record.patch'>,
  nowMs: number,
): Promise<() => PutResult> {
  const current = existing(records, collection, id)
  if ('id' in patch && patch['id'] !== id) {
    throw invalidCommand({
      path: ['id'],
      message: 'An id cannot change. Put a new record instead.',
    })
  }
  return replaceRecord(records, collection, merge(collection, current, patch), nowMs)
}

/** Removes a record that nothing refers to; a project goes with its keywords and reports. */
export function deleteRecord(
  records: Records,
  { collection, id }: CommandOf<'record.delete'>,
): AnyRecord {
  const record = existing(records, collection, id)
  const children = collection === 'projects' ? childrenOf(records, id) : []
  const referrers = referrersTo(records, collection, record)
  if (referrers.length > 0) throw inUse(collection, id, referrers)
  requireNotMadeUpFrom(records, collection, id)

  for (const child of children) records.delete(child.collection, child.record)
  records.delete(collection, record)
  return record
}

async function replaceRecord(
  records: Records,
  collection: CollectionName,
  input: Record<string, unknown>,
  nowMs: number,
): Promise<() => PutResult> {
  const checked = validate(COLLECTIONS[collection], input)
  if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
  const record = createMomentResolver(nowMs).resolve(collection, checked.value)
  const violations = [
    ...findViolations(collection, record, records.indexes),
    ...strandedContent(records, collection, record),
  ]
  if (violations.length > 0) throw new CommandError('invalid_command', violations)

  const created = records.indexes.get(collection, record.id) === undefined
  const show = await records.preparePut(collection, record)
  return () => {
    show()
    return { record: structuredClone(record), created }
  }
}

/** A keyword cannot leave a project whose reports have content for it. */
function strandedContent(
  records: Records,
  collection: CollectionName,
  record: AnyRecord,
): Problem[] {
  if (collection !== 'keywords') return []
  const previous = records.indexes.get('keywords', record.id)
  if (!previous || previous.project === (record as RecordOf<'keywords'>).project) return []
  const holders = referrersTo(records, 'keywords', previous)
  if (holders.length === 0) return []
  return [{ path: ['project'], message: inUse('keywords', record.id, holders).message }]
}

/** The fields of a patch over the record's; null removes a field that may be absent but not null. */
function merge(
  collection: CollectionName,
  current: AnyRecord,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...current, ...patch }
  for (const [field, schema] of Object.entries(COLLECTIONS[collection].shape)) {
    const isRemoval =
      patch[field] === null &&
      !schema.safeParse(null).success &&
      schema.safeParse(undefined).success
    if (isRemoval) delete merged[field]
  }
  return merged
}

function existing(records: Records, collection: CollectionName, id: number): AnyRecord {
  const record = records.indexes.get(collection, id)
  if (record) return record
  throw recordNotFound(`There is no ${SINGULAR[collection]} ${id}.`)
}

interface Referrer {
  collection: CollectionName
  record: AnyRecord
}

function childrenOf({ indexes }: Records, project: number): Referrer[] {
  return [
    ...indexes.reportsOf(project).map((record) => ({ collection: 'reports' as const, record })),
    ...indexes.keywordsOf(project).map((record) => ({ collection: 'keywords' as const, record })),
  ]
}

/**
 * Every record that holds the id of this one, but for the children of a project. Of what is made up
 * only projects are looked at: see {@link requireNotMadeUpFrom}.
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
      .allHeld(collection)
      .filter((candidate: Record<string, unknown>) =>
        fields.some((field) => candidate[field] === record.id),
      )
      .map((referrer) => ({ collection, record: referrer }))
  })
}

/** The reports that have content for a keyword, which are all of its own project. */
function reportsWith(indexes: Indexes, { id, project }: RecordOf<'keywords'>): Referrer[] {
  return indexes
    .reportsOf(project)
    .filter((report) => hasContent(report, id))
    .map((record) => ({ collection: 'reports', record }))
}

/**
 * Users of a made-up world stand in its reports, which are made only when they are read: asking each
 * of them would make them all.
 *
 * @throws CommandError
 */
function requireNotMadeUpFrom({ indexes }: Records, collection: CollectionName, id: number): void {
  const { agencies, options } = indexes.generated?.ingredients ?? {}
  const isPicked = agencies?.some(({ users }) => users.includes(id)) ?? false
  if (collection !== 'users' || !isPicked || options?.projects === 0) return
  const message = `user ${id} stands in reports that are made up. Choose another one, or a world with users of its own.`
  throw new CommandError('record_in_use', [{ path: [], message }])
}

const SHOWN_REFERRERS = 5

function inUse(collection: CollectionName, id: number, referrers: Referrer[]): CommandError {
  const names = referrers
    .slice(0, SHOWN_REFERRERS)
    .map((referrer) => `${SINGULAR[referrer.collection]} ${referrer.record.id}`)
  const more = referrers.length - names.length
  const list = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  const message = `${SINGULAR[collection]} ${id} is still referenced by ${list}. Change or delete them first.`
  return new CommandError('record_in_use', [{ path: [], message }])
}
