import { api } from '../../api/client.ts'
import type { CollectionName, RecordOf } from '../../api/types.ts'
import type { ReadPage } from '../../parts/use-pages.ts'

/** Reads records of a collection by ascending id, for `usePages`. `pick` is what a row has of a record. */
export function recordPages<Name extends CollectionName, Row>(
  collection: Name,
  { search, project }: Readonly<{ search?: string; project?: number }>,
  pick: (record: RecordOf<Name>) => Row,
): ReadPage<Row> {
  const filter = { ...(search && { search }), ...(project !== undefined && { project }) }
  return async (query, signal) => {
    const { records, total, next } = await api.list(collection, { ...query, ...filter }, signal)
    return { rows: records.map((record) => pick(record)), total, next }
  }
}
