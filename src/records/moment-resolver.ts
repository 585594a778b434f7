import { memoize } from '../contract/cache.ts'
import { isByMonth, resolveDate, resolveDateTime } from '../contract/time.ts'
import { mapCollections, MOMENTS } from '../contract/collection-facts.ts'
import type { CollectionName, MomentKind } from '../contract/collection-facts.ts'
import type { RecordOf } from '../contract/records.ts'

/** Memoized functions that make dates and datetimes absolute, by kind. */
type TextResolvers = Record<MomentKind, (text: string) => string>

const MOMENT_FIELDS = mapCollections((name) => Object.entries<MomentKind>(MOMENTS[name]))

/** Makes the relative dates of records absolute, at one time of the world clock. */
export interface MomentResolver {
  /** Returns a copy of a record with absolute dates. */
  resolve: <Name extends CollectionName>(name: Name, record: RecordOf<Name>) => RecordOf<Name>
  /** True if resolving `record` would give the dates of `resolved`. */
  hasMomentsOf: <Name extends CollectionName>(
    name: Name,
    resolved: RecordOf<Name>,
    record: RecordOf<Name>,
  ) => boolean
}

export function createMomentResolver(nowMs: number): MomentResolver {
  const [now, month] = [textsAt(nowMs), textsOfMonth(startOfMonth(nowMs))]
  const resolveOnce = (text: string, kind: MomentKind): string =>
    (isByMonth(text) ? month : now)[kind](text)
  return {
    resolve: (name, record) => {
      const resolved: Record<string, unknown> = { ...record }
      for (const [field, kind] of MOMENT_FIELDS[name]) {
        const text = resolved[field]
        if (typeof text === 'string') resolved[field] = resolveOnce(text, kind)
      }
      return resolved as typeof record
    },
    hasMomentsOf: (name, resolved: Record<string, unknown>, record: Record<string, unknown>) =>
      MOMENT_FIELDS[name].every(([field, kind]) => {
        const text = record[field]
        return resolved[field] === (typeof text === 'string' ? resolveOnce(text, kind) : text)
      }),
  }
}

function textsAt(nowMs: number): TextResolvers {
  return {
    date: memoize((text: string) => resolveDate(text, nowMs)),
    dateTime: memoize((text: string) => resolveDateTime(text, nowMs)),
  }
}

/** Resolves dates that depend only on the month. All worlds share the results, so that a reset does not compute them again. */
const textsOfMonth = memoize(textsAt)

function startOfMonth(nowMs: number): number {
  const start = new Date(nowMs)
  start.setUTCDate(1)
  return start.setUTCHours(0, 0, 0, 0)
}
