import { z } from 'zod'
import { AgencyRecord } from './agency.ts'
import { CountryRecord } from './country.ts'
import { KeywordRecord } from './keyword.ts'
import { LanguageRecord } from './language.ts'
import {
  CalendarDateInput,
  DateTimeInput,
  isByMonth,
  resolveDate,
  resolveDateTime,
} from './moments.ts'
import { ProjectRecord } from './project.ts'
import { ReportRecord } from './report.ts'
import { TokenRecord } from './token.ts'
import { UserRecord } from './user.ts'

/** What a world holds: a collection for each kind of record, and the schema of its records. */
export const COLLECTIONS = {
  agencies: AgencyRecord,
  countries: CountryRecord,
  languages: LanguageRecord,
  users: UserRecord,
  tokens: TokenRecord,
  projects: ProjectRecord,
  keywords: KeywordRecord,
  reports: ReportRecord,
} as const

export type CollectionName = keyof typeof COLLECTIONS
export type RecordOf<Name extends CollectionName> = z.infer<(typeof COLLECTIONS)[Name]>
export type AnyRecord = RecordOf<CollectionName>

export const COLLECTION_NAMES = Object.keys(COLLECTIONS) as CollectionName[]

/** Something for each collection, by its name. */
export function mapCollections<Value>(
  make: (name: CollectionName) => Value,
): Record<CollectionName, Value> {
  const entries = COLLECTION_NAMES.map((name) => [name, make(name)])
  return Object.fromEntries(entries) as Record<CollectionName, Value>
}

/** A record of each kind, by name, for messages. */
export const SINGULAR: Record<CollectionName, string> = {
  agencies: 'agency',
  countries: 'country',
  languages: 'language',
  users: 'user',
  tokens: 'token',
  projects: 'project',
  keywords: 'keyword',
  reports: 'report',
}

/** The fields that hold the id of another record, and the collection it is in. */
export const REFERENCES: Record<CollectionName, Record<string, CollectionName>> = {
  agencies: {},
  countries: {},
  languages: {},
  users: { agency: 'agencies' },
  tokens: { agency: 'agencies' },
  projects: {
    agency: 'agencies',
    country: 'countries',
    text_language: 'languages',
    report_language: 'languages',
    managing_user: 'users',
    created_by: 'users',
  },
  keywords: { project: 'projects' },
  reports: { project: 'projects', approved_by: 'users', managed_by: 'users' },
}

/** All records of a world, by collection. Dates may still be relative. */
export const RecordSet = z.strictObject(
  Object.fromEntries(COLLECTION_NAMES.map((name) => [name, z.array(COLLECTIONS[name])])),
) as unknown as z.ZodType<RecordSet>
export type RecordSet = { [Name in CollectionName]: RecordOf<Name>[] }

/** What the engine asks of a world: look-ups and indexed lists, each in ascending order of id. */
export interface RecordReader {
  /** Grows with every change, so that whatever was derived from the records can be told stale. */
  readonly revision: number
  get<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined
  all<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[]
  usersOf(agency: number): readonly UserRecord[]
  /** The projects of an agency, or of all; of one status, or of any. */
  projectsOf(filter: {
    agency: number | undefined
    status: string | undefined
  }): readonly ProjectRecord[]
  keywordsOf(project: number): readonly KeywordRecord[]
  /** As they are now, or as they will be at a time of the world clock if nothing else happens. */
  reportsOf(project: number, atMs?: number): readonly ReportRecord[]
  /** The moments of the world clock at which time alone changes one of those reports, in any order. */
  reportMomentsOf(project: number): readonly number[]
}

type ResolveMoment = (text: string, nowMs: number) => string

/** The date fields of each collection, found in its schema, with how each becomes absolute. */
const MOMENT_FIELDS = Object.fromEntries(
  COLLECTION_NAMES.map((name) => [name, momentFieldsOf(COLLECTIONS[name].shape)]),
) as Record<CollectionName, [field: string, resolve: ResolveMoment][]>

function momentFieldsOf(shape: Record<string, z.ZodType>): [string, ResolveMoment][] {
  return Object.entries(shape).flatMap(([field, schema]): [string, ResolveMoment][] => {
    const inner = unwrap(schema)
    if (inner === DateTimeInput) return [[field, resolveDateTime]]
    if (inner === CalendarDateInput) return [[field, resolveDate]]
    return []
  })
}

/** The schema below `nullable`, `default`, `optional` and `describe`. */
function unwrap(schema: z.ZodType): z.ZodType {
  const inner = (schema.def as { innerType?: z.ZodType }).innerType
  if (inner) return unwrap(inner)
  return [DateTimeInput, CalendarDateInput].find((input) => input.def === schema.def) ?? schema
}

/** Makes the relative dates of records absolute, by one time of the world clock. */
export interface MomentResolver {
  /** A record with absolute dates. */
  resolve: <Name extends CollectionName>(name: Name, record: RecordOf<Name>) => RecordOf<Name>
  /** Whether a record has the dates that another one, otherwise alike, would come to. */
  hasMomentsOf: <Name extends CollectionName>(
    name: Name,
    resolved: RecordOf<Name>,
    record: RecordOf<Name>,
  ) => boolean
}

/** Dates that are written alike are worked out once. */
export function createMomentResolver(nowMs: number): MomentResolver {
  const known = new Map([
    [resolveDate, new Map<string, string>()],
    [resolveDateTime, new Map<string, string>()],
  ])
  const resolveOnce = (text: string, resolve: ResolveMoment): string => {
    const texts = isByMonth(text) ? monthlyTexts(resolve, nowMs) : known.get(resolve)
    const found = texts?.get(text) ?? resolve(text, nowMs)
    texts?.set(text, found)
    return found
  }
  return {
    resolve: (name, record) => {
      const resolved: Record<string, unknown> = { ...record }
      for (const [field, resolve] of MOMENT_FIELDS[name]) {
        const text = resolved[field]
        if (typeof text === 'string') resolved[field] = resolveOnce(text, resolve)
      }
      return resolved as typeof record
    },
    hasMomentsOf: (name, resolved: Record<string, unknown>, record: Record<string, unknown>) =>
      MOMENT_FIELDS[name].every(([field, resolve]) => {
        const text = record[field]
        return resolved[field] === (typeof text === 'string' ? resolveOnce(text, resolve) : text)
      }),
  }
}

interface MonthlyTexts {
  /** The month, counted from the epoch. */
  month: number
  known: Map<string, string>
}

/** Dates that depend on no more than the month, which the worlds of a process have in common: a reset asks for all of them. */
const MONTHLY_TEXTS = new Map<ResolveMoment, MonthlyTexts>()

function monthlyTexts(resolve: ResolveMoment, nowMs: number): Map<string, string> {
  const now = new Date(nowMs)
  const month = now.getUTCFullYear() * 12 + now.getUTCMonth()
  const texts = MONTHLY_TEXTS.get(resolve)
  if (texts?.month === month) return texts.known
  const known = new Map<string, string>()
  MONTHLY_TEXTS.set(resolve, { month, known })
  return known
}
