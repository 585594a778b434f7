import type { AnyRecord } from '../../contract/records.ts'
import type { CollectionName as Collection } from '../../contract/collections.ts'
import type { ReportRecord } from '../../contract/report.ts'
import { withOwnContent } from '../../records/own-content.ts'
import type { Records } from '../../records/records.ts'
import { invalidCommand } from '../command-error.ts'
import { defineCommand } from './command.ts'
import {
  added,
  CollectionName,
  completedReport,
  existingRecord,
  Fields,
  mergeFields,
  PutResult,
  RecordId,
  replacingRecord,
} from './record-changes.ts'

export const recordPatch = defineCommand({
  type: 'record.patch',
  description: 'Replaces some fields of a record; null removes an optional one',
  fields: { collection: CollectionName, id: RecordId, patch: Fields },
  result: PutResult,
  completes: ({ collection, patch }, { record }) =>
    patch['status'] === 'completed' ? completedReport(collection, record) : undefined,
  adds: (parts, { collection, id, patch }) => added(parts, collection, { ...patch, id }),
  prepare: (parts, { collection, id, patch }) => {
    const current = currentRecord(parts.state.records, collection, id)
    if ('id' in patch && patch['id'] !== id) {
      const message = 'An id cannot change. Put a new record instead.'
      throw invalidCommand({ path: ['id'], message })
    }
    const merged = mergeFields(collection, current, patch)
    return replacingRecord(parts, collection, merged)
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
