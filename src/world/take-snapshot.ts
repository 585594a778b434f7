import { toDateTime } from '../contract/time.ts'
import { mapCollections } from '../contract/collection-facts.ts'
import type { AnyRecord, RecordSet } from '../contract/records.ts'
import type { TokenWindows } from '../engine/rate-limiter.ts'
import type { Journal } from '../journal/journal.ts'
import type { GenerationInput } from '../records/generation/project-plan.ts'
import { Indexes } from '../records/indexes.ts'
import type { StoredRecords } from '../records/world-records.ts'
import type { ReportProgress } from '../records/report-progress.ts'
import { SNAPSHOT_VERSION } from './snapshot.ts'
import type { Snapshot, StaleRecords } from './snapshot.ts'
import type { WorldState } from './world-state.ts'

interface SnapshotSource {
  world: WorldState
  journal: Pick<Journal, 'sequence' | 'commands'>
  /** The machine's clock in epoch milliseconds. */
  realMs: number
  /** True to include state that shows only under policies not in force, and windows that count no request; false if omitted. */
  isWhole?: boolean
}

/** Takes a snapshot. It shares objects with the world: write it at once, and do not change it. */
export function takeSnapshot({
  world,
  journal,
  realMs,
  isWhole = false,
}: SnapshotSource): Readonly<Snapshot> {
  const { clock, records, progress, engine, faults, commandPolicies } = world
  const { worldMs, frozen, rateOffsetMs } = clock.position
  const saved = engine.saveState(worldMs)
  const windows = isWhole ? saved.windows : saved.windows.filter(countsAny)
  const staleView = isWhole ? engine.staleView.earlierRecords(worldMs)?.records : saved.staleView
  const stored = records.save()
  return {
    version: SNAPSHOT_VERSION,
    taken_at: toDateTime(realMs),
    clock: { now: toDateTime(worldMs), frozen, rate_offset_ms: rateOffsetMs },
    rate_windows: [...windows],
    policies: commandPolicies,
    faults: faults.save(),
    origin: toOrigin(progress, records.indexes.generated?.input),
    ...stored,
    published:
      staleView instanceof Indexes ? toStaleRecords(stored, records.save(staleView)) : null,
    sequence: journal.sequence,
    commands: [...journal.commands],
  }
}

function countsAny({ minute, hour }: TokenWindows): boolean {
  return minute.length + hour.length > 0
}

function toOrigin(
  progress: ReportProgress,
  input: GenerationInput | undefined,
): Snapshot['origin'] {
  const { loadedMs, reads, ...saved } = progress.save()
  const { options, agencies = [], markets = [] } = input ?? {}
  return {
    ...saved,
    loaded_at: toDateTime(loadedMs),
    reads: reads.map(([project, count, movedToMs]) => [project, count, toDateTime(movedToMs)]),
    generation: options
      ? {
          options,
          agencies: agencies.map(({ id, users }) => ({ id, users: [...users] })),
          markets: markets.map((market) => ({ ...market })),
        }
      : null,
  }
}

function toStaleRecords(
  current: StoredRecords,
  { records, ...rest }: StoredRecords,
): StaleRecords | null {
  const stored = mapCollections((name) => new Set<AnyRecord>(current.records[name]))
  const ids = mapCollections((name) => new Set(records[name].map(({ id }) => id)))
  const changed = mapCollections((name) =>
    records[name].filter((record) => !stored[name].has(record)),
  )
  const added = mapCollections((name) =>
    current.records[name].filter(({ id }) => !ids[name].has(id)).map(({ id }) => id),
  )
  const isEmpty = [...Object.values(changed), ...Object.values(added)].every(
    ({ length }) => length === 0,
  )
  const isSame = isEmpty && JSON.stringify(rest.removed) === JSON.stringify(current.removed)
  return isSame ? null : { changed: changed as RecordSet, added, ...rest }
}
