import { AnyRecord } from '../../contract/records.ts'
import type { CollectionName } from '../../contract/collection-facts.ts'
import type { Records } from '../../records/world-records.ts'
import { CommandError } from '../command-error.ts'
import { defineCommand } from './command.ts'
import {
  changingRecords,
  CollectionNameSchema,
  existingRecord,
  findInUse,
  RecordId,
} from './record-changes.ts'
import type { Referrer } from './record-changes.ts'

export const recordDelete = defineCommand({
  type: 'record.delete',
  description: 'Removes a record; a project goes with its keywords and reports',
  fields: { collection: CollectionNameSchema, id: RecordId },
  result: AnyRecord,
  isCostly: ({ collection }) => collection === 'projects',
  frees: () => true,
  prepare: ({ state }, { collection, id }) =>
    changingRecords(state, () => deleteRecord(state.records, collection, id)),
})

/**
 * Removes a record, and with a project its keywords and reports.
 *
 * @throws CommandError for an unknown record, and for one that other records refer to, or that generated reports may refer to.
 */
function deleteRecord(records: Records, collection: CollectionName, id: number): AnyRecord {
  const record = existingRecord(records, collection, id)
  const children = collection === 'projects' ? childrenOf(records, id) : []
  const inUse = findInUse(records, collection, record)
  if (inUse) throw inUse
  refuseUserOfGenerated(records, collection, id)

  for (const child of children) records.delete(child.collection, child.record)
  records.delete(collection, record)
  return record
}

function childrenOf({ indexes }: Records, project: number): Referrer[] {
  return [
    ...indexes.reportsOf(project).map((record) => ({ collection: 'reports' as const, record })),
    ...indexes.keywordsOf(project).map((record) => ({ collection: 'keywords' as const, record })),
  ]
}

/**
 * Refuses to delete a user whom generated reports may contain. Reports are generated when they are read, so that a search for a
 * user would generate all of them.
 *
 * @throws CommandError
 */
function refuseUserOfGenerated({ indexes }: Records, collection: CollectionName, id: number): void {
  const { agencies, options } = indexes.generated?.input ?? {}
  const isPicked = agencies?.some(({ users }) => users.includes(id)) ?? false
  if (collection !== 'users' || !isPicked || options?.projects === 0) return
  const message = `user ${id} may be in generated reports. Choose another user, or a world with users of its own.`
  throw new CommandError('record_in_use', [{ path: [], message }])
}
