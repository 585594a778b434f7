import { z } from 'zod'
import { COLLECTION_NAMES } from '../../contract/collection-facts.ts'
import { DateTime, DateTimeInput } from '../../contract/conventions.ts'
import { AnyRecord } from '../../contract/records.ts'
import { defineCommand } from './command.ts'
import {
  growthBy,
  changingRecords,
  checkRecord,
  RecordFields,
  findInUse,
  RecordId,
} from './record-changes.ts'

export type { RecordState } from '../../records/world-records.ts'

/** Stored state of a record besides its fields. */
const StoredState = {
  removed: z.boolean().describe('True for a report or a generated keyword that was removed'),
  stated: z
    .boolean()
    .describe('True if a command has set the record; such a report no longer progresses'),
  moves_from: DateTime.pipe(DateTimeInput)
    .nullable()
    .describe(
      'Time from which a report progresses after a command has moved it; null for any other record',
    ),
}

/** Stored state of a record, which `record.restore` restores. */
export const RecordStateSchema = z.strictObject({
  record: AnyRecord.nullable().describe(
    'The record as stored: a report as it was before it progressed. Null if there is none, or it is generated',
  ),
  ...StoredState,
})

/** Excludes projects: only a snapshot restores a project together with its keywords and reports. */
const Restorable = z
  .enum(COLLECTION_NAMES)
  .exclude(['projects'])
  .describe('The collection of the record: any but projects')

export const recordRestore = defineCommand({
  type: 'record.restore',
  description:
    'Undoes a change: restores the stored state of a record, or its absence, that GET `/_sandbox/records/{collection}/{id}/state` returned earlier',
  fields: {
    collection: Restorable,
    id: RecordId,
    state: z.strictObject({ record: RecordFields.nullable(), ...StoredState }),
  },
  result: RecordStateSchema,
  frees: ({ state }) => state.record === null,
  adds: (parts, { collection, id, state: { record } }) =>
    record
      ? growthBy(parts, { collection, record: { ...record, id }, fields: record, at: 'state' })
      : {},
  prepare: (parts, { collection, id, state }) =>
    changingRecords(parts.state, () => {
      const { records } = parts.state
      const record = state.record && checkRecord(parts, collection, { ...state.record, id })
      const current = records.indexes.get(collection, id)
      const inUse = !record && current && findInUse(records, collection, current)
      if (inUse) throw inUse
      for (const keyword of [current, record]) {
        if (keyword && 'keyword' in keyword) records.settle(keyword.project)
      }
      records.restore(collection, id, { ...state, record })
      return structuredClone(records.stateOf(collection, id))
    }),
  // The state is left out, because a report may have much content.
  toListed: ({ type, collection, id }) => ({ type, collection, id }),
})
