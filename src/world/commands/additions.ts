import { COLLECTION_NAMES } from '../../contract/collections.ts'
import type { MemoryUse } from '../../contract/memory-use.ts'
import type { RecordSet } from '../../contract/records.ts'
import { bytesOf } from '../../contract/plain-size.ts'
import type { Seed } from '../../fixtures/seed.ts'
import { isGeneratedId } from '../../records/generated-ids.ts'
import { bytesToLoad, bytesToResume } from '../../records/records.ts'
import type { HeldRecords } from '../../records/records.ts'
import { longestDelay } from '../faults/longest-delay.ts'
import { toHeldRecords } from '../read-snapshot.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Additions, Loaded, WorldParts } from './command.ts'

/** The size of a world that is loaded from a seed or a snapshot. */
export function sizeOf(loaded: Loaded): Additions {
  return 'seed' in loaded ? sizeOfSeed(loaded.seed) : sizeOfSnapshot(loaded.snapshot)
}

function sizeOfSeed({ records, generate }: Seed): Additions {
  const generated = generate?.projects ?? 0
  return {
    records: countOf(records) + generated,
    projects: records.projects.length + generated,
    bytes: bytesToLoad(records, generated),
  }
}

/** The larger of two counts: of its records and of those of its stale view, both as they are once restored. */
function sizeOfSnapshot(snapshot: Snapshot): Required<Additions> {
  const { origin, published, faults, commands } = snapshot
  const generated = origin.generation?.options.projects ?? 0
  const counts = [snapshot, ...(published ? [toHeldRecords(snapshot.records, published)] : [])].map(
    (held) => {
      const unchanged = countUnchanged(held, generated)
      const [records, projects] = [countOf(held.records), held.records.projects.length]
      return { records: records + unchanged, projects: projects + unchanged }
    },
  )
  return {
    records: Math.max(...counts.map(({ records }) => records)),
    projects: Math.max(...counts.map(({ projects }) => projects)),
    faults: faults.armed.length,
    delayMs: longestDelay(faults.armed.map(({ fault }) => fault)),
    bytes:
      bytesToResume(snapshot.records, generated) +
      (published ? bytesToResume(published.changed) : 0) +
      bytesOf([faults, commands]),
  }
}

/** How many of the generated projects have been neither removed nor replaced. */
function countUnchanged({ records, removed }: HeldRecords, projects: number): number {
  const changed = [...removed.projects, ...records.projects.map(({ id }) => id)]
  const others = new Set(changed.filter((id) => isGeneratedId('projects', id, { projects })))
  return projects - others.size
}

function countOf(records: RecordSet): number {
  return COLLECTION_NAMES.reduce((sum, name) => sum + records[name].length, 0)
}

/** What a world gains from a load in place of its records, and of its faults where those are given; `replaced` is freed. */
export function toReplace(
  { state: { records, faults } }: WorldParts,
  { records: count = 0, projects = 0, faults: armed, delayMs = 0, bytes = 0 }: Additions,
  replaced: MemoryUse,
): Additions {
  const { indexes } = records
  return {
    records: count - COLLECTION_NAMES.reduce((sum, name) => sum + indexes.allHeld(name).length, 0),
    projects: projects - indexes.allHeld('projects').length,
    ...(armed !== undefined && {
      faults: armed - faults.count,
      delayMs: delayMs - longestDelay(faults.list()),
    }),
    bytes: bytes - replaced.bytes,
  }
}
