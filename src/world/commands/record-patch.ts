import { invalidCommand } from '../command-error.ts'
import { defineCommand } from './command.ts'
import {
  growthBy,
  asStored,
  CollectionNameSchema,
  completedReport,
  existingRecord,
  RecordFields,
  mergeFields,
  PutResult,
  RecordId,
  replacingRecord,
} from './record-changes.ts'

export const recordPatch = defineCommand({
  type: 'record.patch',
  description: 'Replaces some fields of a record; null removes an optional one',
  fields: { collection: CollectionNameSchema, id: RecordId, patch: RecordFields },
  result: PutResult,
  completes: ({ collection, patch }, { record }) =>
    patch['status'] === 'completed' ? completedReport(collection, record) : undefined,
  adds: (parts, { collection, id, patch }) => {
    const { records } = parts.state
    const current = records.indexes.get(collection, id)
    const record = { ...(current && asStored(records, collection, current)), ...patch, id }
    return growthBy(parts, { collection, record, fields: patch, at: 'patch' })
  },
  prepare: (parts, { collection, id, patch }) => {
    const { records } = parts.state
    const current = asStored(records, collection, existingRecord(records, collection, id))
    if ('id' in patch && patch['id'] !== id) {
      const message = 'An id cannot change. Put a new record instead.'
      throw invalidCommand({ path: ['id'], message })
    }
    const merged = mergeFields(collection, current, patch)
    return replacingRecord(parts, collection, merged)
  },
})
