import { COLLECTION_NAMES, mapCollections } from '../contract/records.ts'
import type { AnyRecord, CollectionName, RecordOf, RecordSet } from '../contract/records.ts'
import { runAtOnce } from '../contract/steps.ts'
import type { Steps } from '../contract/steps.ts'
import { Indexes } from './indexes.ts'
import type { Removed } from './indexes.ts'
import { createMomentResolver } from './moment-resolver.ts'
import type { MomentResolver } from './moment-resolver.ts'
import type { ReportProgress } from './report-progress.ts'

/** The records of a world that are not generated, as plain data. */
export interface HeldRecords {
  /** Keywords and reports with their `project`, dates absolute. */
  records: RecordSet
  removed: Removed
  /** The ids of the reports that a command has set: they do not move. */
  stated: number[]
}

/**
 * The records of a world, which are validated before they come here. Those loaded from fixtures may be shared with
 * other worlds; those that a command has put are the world's own. All reads go through the indexes.
 */
export class Records {
  /** Where records are read: look-ups and lists that reflect every change. */
  readonly indexes = new Indexes()
  /** Loaded reports that a command had set before they were saved. */
  readonly #stated = new WeakSet<AnyRecord>()
  /** All records that were ever put in this world. */
  readonly #put = new WeakSet<AnyRecord>()

  /**
   * Replaces the records with those of a validated set, relative dates resolved by the world clock. Records
   * that are still as they were loaded from that set stay, so that a reset costs only what has changed.
   */
  load(set: RecordSet, nowMs: number): void {
    runAtOnce(this.loading(set, nowMs))
  }

  /** Whether `load` takes no more than a few milliseconds. */
  canReload(set: RecordSet): boolean {
    const { indexes } = this
    const isFew = (countOf: (name: CollectionName) => number): boolean =>
      COLLECTION_NAMES.reduce((sum, name) => sum + countOf(name), 0) <= FEW
    const isHeldFew = isFew((name) => indexes.allHeld(name).length)
    return !indexes.generated && isHeldFew && isFew((name) => set[name].length)
  }

  /** The same, a step for each record. */
  *loading(set: RecordSet, nowMs: number): Steps {
    const resolver = createMomentResolver(nowMs)
    for (const name of COLLECTION_NAMES) yield* this.#loadCollection(name, set[name], resolver)
  }

  /** Has loaded reports move from now on; those that a command has set stay as they are. */
  moveReports(progress: ReportProgress): void {
    const isFree = (report: RecordOf<'reports'>) => !this.#isStated(report)
    this.indexes.moveReports(
      progress.isMoving
        ? {
            move: (project, reports, atMs) => progress.move(project, reports, isFree, atMs),
            momentsOf: (reports) => progress.momentsOf(reports, isFree),
          }
        : undefined,
    )
  }

  /**
   * The records that are not generated, with absolute dates, for `resume` to restore.
   *
   * @param indexes These records as they were at some time.
   */
  save(indexes: Indexes = this.indexes): HeldRecords {
    const records = mapCollections((name): AnyRecord[] =>
      indexes.allHeld(name).filter((record) => this.#isOwn(record)),
    )
    const stated = indexes.allHeld('reports').filter((report) => this.#isStated(report))
    return {
      records: records as RecordSet,
      removed: indexes.removed,
      stated: stated.map(({ id }) => id),
    }
  }

  /** Restores the saved records of another world, a step for each; its generated records are added separately. */
  *resuming({ records, removed, stated }: HeldRecords, nowMs: number): Steps {
    yield* this.loading(records, nowMs)
    for (const id of stated) {
      const report = this.indexes.held('reports', id)
      if (report) this.#stated.add(report)
      yield
    }
    yield* this.indexes.removingGenerated(removed)
  }

  *#loadCollection<Name extends CollectionName>(
    name: Name,
    origins: readonly RecordOf<Name>[],
    resolver: MomentResolver,
  ): Steps {
    const ids = new Set(origins.map(({ id }) => id))
    const surplus = this.indexes
      .allHeld(name)
      .filter((record) => this.#isOwn(record) && !ids.has(record.id))
    for (const record of surplus) this.delete(name, record)
    // Adding to the end of a list is cheap, in front of others it is not.
    for (const origin of origins.toSorted((one, other) => one.id - other.id)) {
      this.#loadRecord(name, origin, resolver)
      yield
    }
  }

  #loadRecord<Name extends CollectionName>(
    name: Name,
    origin: RecordOf<Name>,
    resolver: MomentResolver,
  ): void {
    const isMade = (record: RecordOf<Name> | undefined): record is RecordOf<Name> =>
      record !== undefined &&
      ORIGINS.get(record) === origin &&
      resolver.hasMomentsOf(name, record, origin)
    if (isMade(this.indexes.held(name, origin.id))) return
    const shared = MADE_OF.get(origin) as RecordOf<Name> | undefined
    const record = isMade(shared) ? shared : resolver.resolve(name, origin)
    ORIGINS.set(record, origin)
    MADE_OF.set(origin, record)
    this.indexes.put(name, record)
  }

  /** Adds a valid record of the world's own, or replaces the one with its id; readers always see one of the two. */
  put<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    this.#put.add(record)
    this.indexes.put(name, record)
  }

  delete<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    this.indexes.remove(name, this.indexes.held(name, record.id) ?? record)
  }

  /** Whether a record was loaded or put, rather than generated. */
  #isOwn(record: AnyRecord): boolean {
    return this.#put.has(record) || ORIGINS.has(record)
  }

  #isStated(report: AnyRecord): boolean {
    return this.#stated.has(report) || !ORIGINS.has(report)
  }
}

/** So many records are compared and replaced in a few milliseconds. */
const FEW = 20_000

/** The fixture record that each loaded record was resolved from, for all worlds. */
const ORIGINS = new WeakMap<AnyRecord, AnyRecord>()
/** The record last resolved from each origin: worlds with the same fixtures share unchanged records. */
const MADE_OF = new WeakMap<AnyRecord, AnyRecord>()
