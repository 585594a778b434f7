import { COLLECTION_NAMES, mapCollections } from '../contract/collection-facts.ts'
import type { CollectionName } from '../contract/collection-facts.ts'
import { charactersOf } from '../contract/limits.ts'
import type { AnyRecord, RecordOf, RecordSet } from '../contract/records.ts'
import { resolveMs, toDateTime } from '../contract/time.ts'
import type { Generator } from './generation/generator.ts'
import { Indexes } from './indexes.ts'
import type { Removed } from './indexes.ts'
import { createMomentResolver } from './moment-resolver.ts'
import type { MomentResolver } from './moment-resolver.ts'
import type { MovesFrom, ReportProgress } from './report-progress.ts'
import { withOwnContent } from './report-texts.ts'

/** The records of a world that are not generated, as plain data. */
export interface StoredRecords {
  /** All dates are absolute. Keywords and reports are not nested in projects, but have a field `project`. */
  records: RecordSet
  removed: Removed
  /** Ids of reports that a command has set, and that therefore no longer progress. */
  stated: number[]
  /**
   * Reports that continue to progress from a time after the load: the id and that time, as a datetime. A command has created or
   * moved them, or has changed their project after progress had completed them.
   */
  moving: [id: number, from: string][]
}

export interface RecordState {
  /** The stored record; null if there is none, or it is generated. */
  record: AnyRecord | null
  removed: boolean
  /** True if a command has set the record; false for a report that continues to progress. */
  stated: boolean
  /** Datetime from which the report continues to progress, as in {@link StoredRecords.moving}; null for any other record. */
  moves_from: string | null
}

/** A report that progress has completed: `report` is to be stored in place of `stored`. */
interface SettledReport {
  report: RecordOf<'reports'>
  stored: RecordOf<'reports'>
  /** Time from which the report continues to progress, in epoch milliseconds. */
  fromMs: number
}

/**
 * The validated records of a world. Records loaded from fixtures may be shared with other worlds; a record that a command has put
 * belongs to this world alone. All reads go through `indexes`.
 */
export class Records {
  readonly indexes = new Indexes()
  /** Loaded reports that a command had set before they were saved. */
  readonly #stated = new WeakSet<AnyRecord>()
  #progress: ReportProgress | undefined
  /** Time from which each report in {@link StoredRecords.moving} continues to progress, in epoch milliseconds. */
  readonly #movesFrom = new WeakMap<AnyRecord, number>()
  readonly #put = new WeakSet<AnyRecord>()

  /**
   * Replaces the records that are not generated with a validated set. Relative dates count from `nowMs`, the world clock in epoch
   * milliseconds. Keeps records that are unchanged since they were loaded from that set, so that a reset is fast if little has
   * changed.
   */
  load(set: RecordSet, nowMs: number): void {
    this.#loadAll(set, nowMs)
    this.indexes.forgetRemoved()
  }

  /** True if `load` would replace the current records within a few milliseconds; false if any of them are generated. */
  canReload(set: RecordSet): boolean {
    const { indexes } = this
    const isFew = (countOf: (name: CollectionName) => number): boolean =>
      COLLECTION_NAMES.reduce((sum, name) => sum + countOf(name), 0) <= MAXIMUM_QUICKLY_RELOADED
    const isStoredFew = isFew((name) => indexes.allStored(name).length)
    return !indexes.generated && isStoredFew && isFew((name) => set[name].length)
  }

  #loadAll(set: RecordSet, nowMs: number): void {
    const resolver = createMomentResolver(nowMs)
    for (const name of COLLECTION_NAMES) this.#loadCollection(name, set[name], resolver)
  }

  /**
   * Adds generated projects. No stored project may have their ids. A record that is put later replaces the generated record with
   * its id.
   */
  generate(generated: Generator): void {
    this.indexes.generate(generated)
  }

  /**
   * Stores the reports of a project that have been completed by progress so far. Must be called before the project or its keywords
   * change, so that completed reports stay as they were written.
   */
  settle(project: number): void {
    for (const { report, fromMs } of this.#settled(project)) this.putMoving(report, fromMs)
  }

  /** Returns the number of characters that `settle` would add to the records. */
  growthBySettling(project: number): number {
    return this.#settled(project).reduce(
      (sum, { report, stored }) => sum + charactersOf(report) - charactersOf(stored),
      0,
    )
  }

  #settled(project: number): SettledReport[] {
    return this.indexes.reportsOf(project).flatMap((moved) => {
      const stored = this.indexes.stored('reports', moved.id)
      if (!stored || moved === stored || moved.status !== 'completed') return []
      const fromMs = this.#progress?.lastMoveOf(stored, this.#movesFromOf(stored))
      if (fromMs === undefined) return []
      return [{ report: withOwnContent(moved, this.indexes), stored, fromMs }]
    })
  }

  /**
   * Applies `progress` to reports that are neither completed nor set by a command, and to the reports in
   * {@link StoredRecords.moving}.
   */
  moveReports(progress: ReportProgress): void {
    this.#progress = progress
    const movesFrom: MovesFrom = (report) => this.#movesFromOf(report)
    this.indexes.setMovement(
      progress.isMoving
        ? {
            isMovingWithTime: progress.isMovingWithTime,
            move: (reports, records, atMs) => progress.move(reports, { movesFrom, records, atMs }),
            movesOf: (reports) => progress.movesOf(reports, movesFrom),
          }
        : undefined,
    )
  }

  /** Returns the time from which a stored report moves, in epoch milliseconds; undefined for one that stays as it is. */
  #movesFromOf(report: RecordOf<'reports'>): number | undefined {
    const fromMs = this.#movesFrom.get(report)
    if (fromMs !== undefined) return fromMs
    const isDone = report.status === 'completed' || this.#isStated(report)
    return isDone ? undefined : this.#progress?.loadedMs
  }

  /** Returns the stored records, for `resume`: the current ones, or those in an earlier snapshot of the indexes. */
  save(indexes: Indexes = this.indexes): StoredRecords {
    const records = mapCollections((name): AnyRecord[] =>
      indexes.allStored(name).filter((record) => this.#isOwn(record)),
    )
    const reports = indexes.allStored('reports')
    return {
      records: records as RecordSet,
      removed: indexes.removed,
      stated: reports.filter((report) => this.#isStated(report)).map(({ id }) => id),
      moving: reports.flatMap((report): [number, string][] => {
        const fromMs = this.#movesFrom.get(report)
        return fromMs === undefined ? [] : [[report.id, toDateTime(fromMs)]]
      }),
    }
  }

  /** Restores records from `save`, of this world or another. Generated records are added separately. */
  resume({ records, removed, stated, moving }: StoredRecords, nowMs: number): void {
    this.#loadAll(records, nowMs)
    for (const id of stated) {
      const report = this.indexes.stored('reports', id)
      if (report) this.#stated.add(report)
    }
    for (const [id, from] of moving) {
      const report = this.indexes.stored('reports', id)
      if (report) this.#movesFrom.set(report, resolveMs(from, nowMs))
    }
    this.indexes.removeForGood(removed)
  }

  #loadCollection<Name extends CollectionName>(
    name: Name,
    sources: readonly RecordOf<Name>[],
    resolver: MomentResolver,
  ): void {
    const ids = new Set(sources.map(({ id }) => id))
    const surplus = this.indexes
      .allStored(name)
      .filter((record) => this.#isOwn(record) && !ids.has(record.id))
    for (const record of surplus) this.delete(name, record)
    // In the order of ids, because adding at the end of an index is cheap, and inserting is not.
    for (const source of sources.toSorted((one, other) => one.id - other.id)) {
      this.#loadRecord(name, source, resolver)
    }
  }

  #loadRecord<Name extends CollectionName>(
    name: Name,
    source: RecordOf<Name>,
    resolver: MomentResolver,
  ): void {
    const isResolved = (record: RecordOf<Name> | undefined): record is RecordOf<Name> =>
      record !== undefined &&
      FIXTURE_RECORDS.get(record) === source &&
      resolver.hasMomentsOf(name, record, source)
    if (isResolved(this.indexes.stored(name, source.id))) return
    const shared = LAST_RESOLVED.get(source) as RecordOf<Name> | undefined
    const record = isResolved(shared) ? shared : resolver.resolve(name, source)
    FIXTURE_RECORDS.set(record, source)
    LAST_RESOLVED.set(source, record)
    this.indexes.put(name, record)
  }

  /** Adds a valid record, or replaces the stored record with its id. */
  put<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    this.#put.add(record)
    this.indexes.put(name, record)
  }

  /** Puts a report that continues to progress from `fromMs`, in epoch milliseconds. */
  putMoving(report: RecordOf<'reports'>, fromMs: number): void {
    this.#movesFrom.set(report, fromMs)
    this.put('reports', report)
  }

  delete<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    this.indexes.remove(name, this.indexes.stored(name, record.id) ?? record)
  }

  /** Returns the stored state of a record, for `restore`. */
  stateOf(name: CollectionName, id: number): RecordState {
    const stored = this.indexes.stored(name, id)
    const record = stored && this.#isOwn(stored) ? stored : null
    const fromMs = record ? this.#movesFrom.get(record) : undefined
    return {
      record,
      removed: this.indexes.isRemoved(name, id),
      stated: record !== null && this.#isStated(record),
      moves_from: fromMs === undefined ? null : toDateTime(fromMs),
    }
  }

  /** Restores the stored state of a record, or its absence. A restored report continues to progress as before. */
  restore(name: CollectionName, id: number, state: RecordState): void {
    const { record, removed, stated, moves_from: from } = state
    if (!record) {
      this.indexes.release(name, id, removed)
      return
    }
    if (from !== null) this.#movesFrom.set(record, resolveMs(from, 0))
    // A record that is its own fixture record counts as loaded, not as set by a command.
    else if (!stated) FIXTURE_RECORDS.set(record, record)
    this.put(name, record)
  }

  /** True for a record that was loaded or put; false for a generated one. */
  #isOwn(record: AnyRecord): boolean {
    return this.#put.has(record) || FIXTURE_RECORDS.has(record)
  }

  #isStated(report: AnyRecord): boolean {
    return (
      !this.#movesFrom.has(report) && (this.#stated.has(report) || !FIXTURE_RECORDS.has(report))
    )
  }
}

/** Maximum number of records that `load` compares and replaces within a few milliseconds. */
const MAXIMUM_QUICKLY_RELOADED = 20_000

/** The fixture record that each loaded record was resolved from, for all worlds. */
const FIXTURE_RECORDS = new WeakMap<AnyRecord, AnyRecord>()
/** The record last resolved from each fixture record: worlds with the same fixtures share unchanged records. */
const LAST_RESOLVED = new WeakMap<AnyRecord, AnyRecord>()
