import { z } from 'zod'
import { COLLECTIONS } from '../../contract/records.ts'
import type { AnyRecord } from '../../contract/records.ts'

const SCHEMAS: readonly z.ZodType<AnyRecord>[] = Object.values(COLLECTIONS)

/** A record of whichever collection, in the fixture's form. */
export const AnyRecordForm = z.union(SCHEMAS)

/** Records of one collection. */
export const RecordList = z.union(SCHEMAS.map((schema) => z.array(schema)))
