import { z } from 'zod'
import { AgencyRecord, CountryRecord, LanguageRecord, UserRecord } from './reference-data.ts'
import { COLLECTION_NAMES } from './collection-facts.ts'
import type { CollectionName } from './collection-facts.ts'
import { Id } from './conventions.ts'
import { KeywordRecord } from './keyword.ts'
import { ProjectRecord } from './project.ts'
import { ReportRecord } from './report.ts'
import { TokenRecord } from './token.ts'

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

export const RecordList = z.union(SCHEMAS.map((schema) => z.array(schema)))

/** A page of a collection's records, by ascending id. */
export const RecordPage = z.strictObject({
  records: RecordList,
  total: z.int().describe('Number of records on all pages'),
  next: Id.nullable().describe('The `after` of the next page; null on the last one'),
})
export interface RecordPage<Name extends CollectionName = CollectionName> {
  records: readonly RecordOf<Name>[]
  /** Number of records on all pages. */
  total: number
  /** The `after` of the next page; null on the last page. */
  next: number | null
}

/** All records of a world, by collection. Dates may be relative to the world clock. */
export const RecordSet = z.strictObject(
  Object.fromEntries(COLLECTION_NAMES.map((name) => [name, z.array(COLLECTIONS[name])])),
) as unknown as z.ZodType<RecordSet>
export type RecordSet = { [Name in CollectionName]: RecordOf<Name>[] }

/** Read access to the records of a world, for the engine. Lists are in ascending order of id. */
export interface RecordReader {
  /** Increases with every change of the records, which invalidates values derived from older records. */
  readonly revision: number
  get<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined
  all<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[]
  /**
   * Returns the records as stored: without automatic transitions of reports, and without keywords and reports that are generated
   * when read.
   */
  allStored<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[]
  /** Returns the token in an `Authorization` header; undefined if it is unknown, or the header is not exactly `Bearer <value>`. */
  tokenNamed(authorization: string): TokenRecord | undefined
  usersOf(agency: number): readonly UserRecord[]
  /** Returns projects by agency and exact status. An undefined agency or status matches any. */
  projectsOf(filter: {
    agency: number | undefined
    status: string | undefined
  }): readonly ProjectRecord[]
  keywordsOf(project: number): readonly KeywordRecord[]
  /** Returns a project's reports now, or at `atMs` on the world clock if nothing but the time changes until then. */
  reportsOf(project: number, atMs?: number): readonly ReportRecord[]
  /** Returns the times of automatic changes to a project's reports, unordered, in epoch milliseconds on the world clock. */
  reportMomentsOf(project: number): readonly number[]
}
