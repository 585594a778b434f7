import {
  changingRecords,
  CollectionName,
  Fields,
  PutResult,
  replaceRecord,
} from './record-changes.ts'
import { defineCommand } from './command.ts'

export const recordPut = defineCommand({
  type: 'record.put',
  description: 'Adds a record, or replaces the one with its id',
  fields: { collection: CollectionName, record: Fields },
  result: PutResult,
  prepare: (parts, { collection, record }) =>
    changingRecords(parts.state, replaceRecord(parts, collection, record)),
})
