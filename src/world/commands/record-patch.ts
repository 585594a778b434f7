import { COLLECTIONS } from '../../contract/records.ts'
import type { AnyRecord } from '../../contract/records.ts'
import type { CollectionName as Collection } from '../../contract/collections.ts'
import type { ReportRecord } from '../../contract/report.ts'
import { withOwnContent } from '../../records/own-content.ts'
import type { Records } from '../../records/records.ts'
import { invalidCommand } from '../command-error.ts'
import { defineCommand } from './command.ts'
import {
  changingRecords,
  CollectionName,
  existingRecord,
  Fields,
  PutResult,
  RecordId,
  replaceRecord,
} from './record-changes.ts'

export const recordPatch = defineCommand({
  type: 'record.patch',
  description: 'Replaces some fields of a record; null removes an optional one',
  fields: { collection: CollectionName, id: RecordId, patch: Fields },
  result: PutResult,
  prepare: (parts, { collection, id, patch }) => {
    const { state } = parts
    const current = currentRecord(state.records, collection, id)
    if ('id' in patch && patch['id'] !== id) {
      const message = 'An id cannot change. Put a new record instead.'
      throw invalidCommand({ path: ['id'], message })
    }
    const merged = merge(collection, current, patch)
    return changingRecords(state, replaceRecord(parts, collection, merged))
  },
})

/** The record that a patch changes. @throws CommandError */
function currentRecord(records: Records, collection: Collection, id: number): AnyRecord {
  const { indexes } = records
  const record = existingRecord(records, collection, id)
  const isGenerated = indexes.held(collection, id) === undefined
  return collection === 'reports' && isGenerated
    ? withOwnContent(record as ReportRecord, indexes)
    : record
}

/** The record with the fields of a patch; null removes a field that may be absent but not null. */
function merge(
  collection: Collection,
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
