import type { Collection } from '@msw/data'
import { COLLECTION_NAMES, COLLECTIONS, mapCollections } from '../contract/records.ts'
import type { AnyRecord, CollectionName, RecordOf, RecordSet } from '../contract/records.ts'
import { Indexes } from './indexes.ts'
import type { Removed } from './indexes.ts'
import { createMomentResolver } from './moment-resolver.ts'
import type { MomentResolver } from './moment-resolver.ts'
import type { ReportProgress } from './report-progress.ts'

type AnyCollection = Collection<(typeof COLLECTIONS)[CollectionName]>

/** What a world holds beside what is generated, as plain data. */
export interface HeldRecords {
  /** Keywords and reports with their `project`, dates absolute. */
  records: RecordSet
  removed: Removed
  /** The ids of the reports that a command has stated: they do not move. */
  stated: number[]
}

/**
 * The records of a world. Those that were loaded are as their fixtures had them, checked already, and may be
 * shared with other worlds; those that a command has put are in `@msw/data` collections, which check them
 * against the contract. Everything that is read comes from indexes, which the hooks of the collections keep true.
 */
export class Records {
  /** Where records are read: look-ups and lists that follow every change. */
  readonly indexes = new Indexes()
  /** Each made when its first record is put. */
  readonly #collections = new Map<CollectionName, AnyCollection>()
  /** Reports that were loaded as a command had stated them. */
  readonly #stated = new WeakSet<AnyRecord>()
  /** The records that this world ever had of its own. */
  readonly #put = new WeakSet<AnyRecord>()
  /** The records in these collections; others are only in the indexes: shared with other worlds, or generated. */
  readonly #held = new WeakSet<AnyRecord>()
  /** While it is set, changes wait here for the indexes to take them in all at once. */
  #pending: (() => void)[] | undefined

  /**
   * Makes the records those of a validated set, its relative dates resolved by the world clock. What
   * is as it was loaded from that set stays, so that a reset costs what has changed.
   */
  load(set: RecordSet, nowMs: number): void {
    const resolver = createMomentResolver(nowMs)
    for (const name of COLLECTION_NAMES) this.#loadCollection(name, set[name], resolver)
  }

  /** From now on the reports that were loaded move; those that a command has stated stay as they are. */
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
   * What is held as it is now, its dates absolute; `resume` makes it this again.
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

  /** Makes what is held that of another world, whose generated records are here already or will be. */
  resume({ records, removed, stated }: HeldRecords, nowMs: number): void {
    this.load(records, nowMs)
    for (const id of stated) {
      const report = this.indexes.held('reports', id)
      if (report) this.#stated.add(report)
    }
    this.indexes.removeGenerated(removed)
  }

  #loadCollection<Name extends CollectionName>(
    name: Name,
    origins: readonly RecordOf<Name>[],
    resolver: MomentResolver,
  ): void {
    const ids = new Set(origins.map(({ id }) => id))
    const surplus = this.indexes
      .allHeld(name)
      .filter((record) => this.#isOwn(record) && !ids.has(record.id))
    for (const record of surplus) this.delete(name, record)
    for (const origin of origins) this.#loadRecord(name, origin, resolver)
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
    const previous = this.indexes.held(name, record.id)
    if (previous && this.#held.has(previous)) this.#drop(name, previous)
    this.indexes.put(name, record)
  }

  /**
   * Adds a valid record, or replaces the one with its id. What it resolves to is the last step, which has readers
   * see it; it must be taken before any other change. The indexes swap the two in it: no reader ever misses both.
   */
  async preparePut<Name extends CollectionName>(
    name: Name,
    record: RecordOf<Name>,
  ): Promise<() => void> {
    const collection = await this.#collectionOf(name)
    const pending: (() => void)[] = []
    this.#pending = pending
    try {
      const previous = this.indexes.held(name, record.id)
      const created = await collection.create(record)
      if (previous && this.#held.has(previous)) this.#drop(name, previous)
      this.#held.add(created)
      this.#put.add(created)
    } finally {
      this.#pending = undefined
    }
    return () => {
      for (const change of pending) change()
    }
  }

  delete<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    const held = this.indexes.held(name, record.id) ?? record
    if (this.#held.has(held)) this.#drop(name, held)
    else this.indexes.remove(name, held)
  }

  /** Whether a record is one that this world was given, rather than generated. */
  #isOwn(record: AnyRecord): boolean {
    return this.#put.has(record) || ORIGINS.has(record)
  }

  #isStated(report: AnyRecord): boolean {
    return this.#stated.has(report) || !ORIGINS.has(report)
  }

  /** Takes a record out of its collection, to which it may not come back: other worlds may have it. */
  #drop(name: CollectionName, record: AnyRecord): void {
    this.#collections.get(name)?.delete(record as never)
    this.#held.delete(record)
  }

  #show(change: () => void): void {
    if (this.#pending) this.#pending.push(change)
    else change()
  }

  /** The library takes long to load, and most worlds are never changed. */
  async #collectionOf(name: CollectionName): Promise<AnyCollection> {
    const known = this.#collections.get(name)
    if (known) return known
    const { Collection } = await import('@msw/data')
    const collection: AnyCollection = new Collection({ schema: COLLECTIONS[name] })
    const { hooks } = collection
    hooks.on('create', ({ data }) => this.#show(() => this.indexes.put(name, data.record)))
    hooks.on('delete', ({ data }) =>
      this.#show(() => this.indexes.remove(name, data.deletedRecord)),
    )
    this.#collections.set(name, collection)
    return collection
  }
}

/** What each record that was loaded was made of, in whichever world. */
const ORIGINS = new WeakMap<AnyRecord, AnyRecord>()
/** The record that was last made of each origin: worlds with the same fixtures share what none has changed. */
const MADE_OF = new WeakMap<AnyRecord, AnyRecord>()
