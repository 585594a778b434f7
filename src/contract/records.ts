import { z } from 'zod'
import { AgencyRecord, CountryRecord, LanguageRecord, UserRecord } from './reference-data.ts'
import { COLLECTION_NAMES } from './collection-facts.ts'
import type { CollectionName } from './collection-facts.ts'
import { Id } from './conventions.ts'
import { KeywordRecord } from './keyword.ts'
import { ProjectRecord } from './project.ts'
import { ReportRecord } from './report.ts'
import { TokenRecord } from './token.ts'

/** The collections of a world, each with the schema of its records. */
export const COLLECTIONS = {
  agencies: AgencyRecord,
  countries: CountryRecord,
  languages: LanguageRecord,
  users: UserRecord,
  tokens: TokenRecord,
  projects: ProjectRecord,
  keywords: KeywordRecord,
  reports: ReportRecord,
} as const satisfies Record<CollectionName, z.ZodObject>

export type RecordOf<Name extends CollectionName> = z.infer<(typeof COLLECTIONS)[Name]>

export type AnyRecord = RecordOf<CollectionName>
const SCHEMAS: readonly z.ZodType<AnyRecord>[] = Object.values(COLLECTIONS)

/** A record of any collection, in the fixture format. */
export const AnyRecord = z.union(SCHEMAS)

/** Records of one collection. */
export const RecordList = z.union(SCHEMAS.map((schema) => z.array(schema)))

/** Some of the records of a collection, by ascending id. */
export const RecordPage = z.strictObject({
  records: RecordList,
  total: z.int().describe('Number of records on all pages'),
  next: Id.nullable().describe('The `after` of the next page; null on the last one'),
})
/** Some of the records of a collection, by ascending id. */
export interface RecordPage<Name extends CollectionName = CollectionName> {
  records: readonly RecordOf<Name>[]
  /** Number of records on all pages. */
  total: number
  /** The `after` of the next page; null on the last one. */
  next: number | null
}

/** All records of a world, by collection. Dates may still be relative. */
export const RecordSet = z.strictObject(
  Object.fromEntries(COLLECTION_NAMES.map((name) => [name, z.array(COLLECTIONS[name])])),
) as unknown as z.ZodType<RecordSet>
export type RecordSet = { [Name in CollectionName]: RecordOf<Name>[] }

/** Reads of a world for the engine: look-ups and indexed lists, each in ascending order of id. */
export interface RecordReader {
  /** Grows with every change, so that stale values derived from the records can be recognised. */
  readonly revision: number
  get<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined
  all<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[]
  /** Stored records: not moved, and without the keywords and reports that are generated when read. */
  allHeld<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[]
  /** The token in an `Authorization` header that is spelled as usual: `Bearer`, a space and its value. */
  tokenNamed(authorization: string): TokenRecord | undefined
  usersOf(agency: number): readonly UserRecord[]
  /** The projects of an agency, or of all; of one status, or of any. */
  projectsOf(filter: {
    agency: number | undefined
    status: string | undefined
  }): readonly ProjectRecord[]
  keywordsOf(project: number): readonly KeywordRecord[]
  /** Reports as they are now, or as they will be at a time of the world clock if nothing else happens. */
  reportsOf(project: number, atMs?: number): readonly ReportRecord[]
  /** Times on the world clock at which time alone changes one of a project's reports, in any order. */
  reportMomentsOf(project: number): readonly number[]
}
