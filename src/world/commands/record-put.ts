import {
  growthBy,
  CollectionNameSchema,
  completedReport,
  RecordFields,
  PutResult,
  replacingRecord,
} from './record-changes.ts'
import { defineCommand } from './command.ts'

export const recordPut = defineCommand({
  type: 'record.put',
  description: 'Adds a record, or replaces the one with its id',
  fields: { collection: CollectionNameSchema, record: RecordFields },
  result: PutResult,
  adds: (parts, { collection, record }) =>
    growthBy(parts, { collection, record, fields: record, at: 'record' }),
  completes: ({ collection }, { record, created }) =>
    created ? completedReport(collection, record) : undefined,
  prepare: (parts, { collection, record }) => replacingRecord(parts, collection, record),
})
