import type { z } from 'zod'
import {
  CalendarDateInput,
  DateTimeInput,
  isByMonth,
  resolveDate,
  resolveDateTime,
} from '../contract/moments.ts'
import { COLLECTION_NAMES, COLLECTIONS } from '../contract/records.ts'
import type { CollectionName, RecordOf } from '../contract/records.ts'

type ResolveMoment = (text: string, nowMs: number) => string

/** The date fields of each collection, found in its schema, with the function that makes each absolute. */
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

/** Makes the relative dates of records absolute, for one time of the world clock. */
export interface MomentResolver {
  /** A record with absolute dates. */
  resolve: <Name extends CollectionName>(name: Name, record: RecordOf<Name>) => RecordOf<Name>
  /** Whether a resolved record has the dates that `record` would resolve to. */
  hasMomentsOf: <Name extends CollectionName>(
    name: Name,
    resolved: RecordOf<Name>,
    record: RecordOf<Name>,
  ) => boolean
}

/** Equal texts are resolved once. */
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

/** Resolved dates that depend only on the month, shared by all worlds: a reset needs all of them. */
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
