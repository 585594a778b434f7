import { charactersOf } from '../../contract/limits.ts'
import { COLLECTION_NAMES } from '../../contract/collection-facts.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import type { AnyRecord, RecordSet } from '../../contract/records.ts'
import type { Path } from '../../contract/validation.ts'
import type { Seed } from '../../fixtures/seed.ts'
import { isGeneratedId } from '../../records/generated-ids.ts'
import type { StoredRecords } from '../../records/world-records.ts'
import { longestDelay, sizeOfWorld } from '../world-size.ts'
import { toStoredRecords } from '../restore-state.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Additions, Loaded, WorldParts, WrittenRecord } from './command.ts'

/** Upper bound for the size of a generated project's record, in characters. */
const GENERATED_CHARACTERS = 400

/** Returns the size of a world that is loaded from a seed or a snapshot. */
export function sizeOf(loaded: Loaded): Additions {
  return 'seed' in loaded ? sizeOfSeed(loaded.seed) : sizeOfSnapshot(loaded.snapshot)
}

function sizeOfSeed({ records, generate }: Seed): Additions {
  const generated = generate?.projects ?? 0
  return {
    ...withGenerated(sizeOfRecords(records), generated),
    written: listWritten(records, ['fixtures']),
  }
}

/** Returns the size of a restored world: each figure is the maximum over its records and its stale view. */
function sizeOfSnapshot(snapshot: Snapshot): Additions {
  const { origin, published, faults } = snapshot
  const generated = origin.generation?.options.projects ?? 0
  const sizes = [
    snapshot,
    ...(published ? [toStoredRecords(snapshot.records, published)] : []),
  ].map((stored) => withGenerated(sizeOfRecords(stored.records), countUnchanged(stored, generated)))
  const largest = (name: keyof RecordsSize): number => Math.max(...sizes.map((size) => size[name]))
  const changed = published
    ? listWritten(published.changed, ['snapshot', 'published', 'changed'])
    : []
  return {
    records: largest('records'),
    projects: largest('projects'),
    text: largest('text'),
    keywords: largest('keywords'),
    faults: faults.armed.length,
    delayMs: longestDelay(faults.armed.map(({ fault }) => fault)),
    written: [...listWritten(snapshot.records, ['snapshot', 'records']), ...changed],
  }
}

type RecordsSize = Required<Pick<Additions, 'records' | 'projects' | 'text' | 'keywords'>>

function sizeOfRecords(set: RecordSet): RecordsSize {
  const records = COLLECTION_NAMES.flatMap((name): readonly AnyRecord[] => set[name])
  return {
    records: records.length,
    projects: set.projects.length,
    text: records.reduce((sum, record) => sum + charactersOf(record), 0),
    keywords: mostPerProject(set.keywords),
  }
}

function mostPerProject(keywords: readonly KeywordRecord[]): number {
  const counts = new Map<number, number>()
  let most = 0
  for (const { project } of keywords) {
    const count = (counts.get(project) ?? 0) + 1
    counts.set(project, count)
    most = Math.max(most, count)
  }
  return most
}

function withGenerated(size: RecordsSize, projects: number): RecordsSize {
  return {
    ...size,
    records: size.records + projects,
    projects: size.projects + projects,
    text: size.text + projects * GENERATED_CHARACTERS,
  }
}

/** Counts the generated projects that were neither removed nor replaced. */
function countUnchanged({ records, removed }: StoredRecords, projects: number): number {
  const changed = [...removed.projects, ...records.projects.map(({ id }) => id)]
  const others = new Set(changed.filter((id) => isGeneratedId('projects', id, { projects })))
  return projects - others.size
}

function listWritten(set: RecordSet, path: Path): WrittenRecord[] {
  return COLLECTION_NAMES.flatMap((name) =>
    set[name].map((record: AnyRecord, index) => ({
      path: [...path, name, index],
      fields: record,
      record,
    })),
  )
}

/** Returns the growth of a world when a load replaces its records and, from a snapshot, its faults. */
export function toReplace({ state }: WorldParts, loaded: Additions): Additions {
  const { records, projects, text, faults, delayMs } = sizeOfWorld(state)
  return {
    ...loaded,
    records: (loaded.records ?? 0) - records,
    projects: (loaded.projects ?? 0) - projects,
    text: (loaded.text ?? 0) - text,
    ...(loaded.faults !== undefined && {
      faults: loaded.faults - faults,
      delayMs: (loaded.delayMs ?? 0) - delayMs,
    }),
  }
}
