import { Collection } from '@msw/data'
import {
  COLLECTION_NAMES,
  COLLECTIONS,
  createMomentResolver,
  hasSameMoments,
} from '../contract/records.ts'
import type {
  AnyRecord,
  CollectionName,
  MomentResolver,
  RecordOf,
  RecordSet,
} from '../contract/records.ts'
import { Indexes } from './indexes.ts'
import type { ReportProgress } from './progress.ts'

type Collections = { [Name in CollectionName]: Collection<(typeof COLLECTIONS)[Name]> }
type AnyCollection = Collection<(typeof COLLECTIONS)[CollectionName]>

/**
 * The records of a world, in `@msw/data` collections. The collections own them and check them against
 * the contract; everything that is read comes from indexes, which their hooks keep true.
 */
export class Records {
  /** Where records are read: look-ups and lists that follow every change. */
  readonly indexes = new Indexes()
  readonly #collections = Object.fromEntries(
    COLLECTION_NAMES.map((name) => [name, new Collection({ schema: COLLECTIONS[name] })]),
  ) as unknown as Collections

  /** What each record that was loaded was made of. */
  readonly #origins = new WeakMap<AnyRecord, AnyRecord>()
  /** The records that are in the collections; others are generated, and only in the indexes. */
  readonly #held = new WeakSet<AnyRecord>()
  /** While it is set, changes wait here for the indexes to take them in all at once. */
  #pending: (() => void)[] | undefined

  constructor() {
    for (const name of COLLECTION_NAMES) {
      const { hooks } = this.#collectionOf(name)
      hooks.on('create', ({ data }) => this.#show(() => this.indexes.put(name, data.record)))
      hooks.on('delete', ({ data }) =>
        this.#show(() => this.indexes.remove(name, data.deletedRecord)),
      )
    }
  }

  /**
   * Makes the records those of a validated set, its relative dates resolved by the world clock. What
   * is as it was loaded from that set stays, so that a reset costs what has changed; readers see the
   * records of before until all of them are there.
   */
  async load(set: RecordSet, nowMs: number): Promise<void> {
    const pending: (() => void)[] = []
    const resolve = createMomentResolver(nowMs)
    this.#pending = pending
    try {
      await Promise.all(
        COLLECTION_NAMES.map((name) => this.#loadCollection(name, set[name], resolve)),
      )
    } finally {
      this.#pending = undefined
    }
    for (const change of pending) change()
  }

  /** From now on the reports that were loaded move; those that a command has stated stay as they are. */
  moveReports(progress: ReportProgress): void {
    const isLoaded = (report: RecordOf<'reports'>) => this.#origins.has(report)
    this.indexes.moveReports(
      progress.isMoving
        ? (project, reports) => progress.move(project, reports, isLoaded)
        : undefined,
    )
  }

  /** Every record as it is now, its dates absolute; `load` makes them these again. */
  dump(): RecordSet {
    const entries = COLLECTION_NAMES.map((name) => [name, this.indexes.all(name)])
    return Object.fromEntries(entries) as RecordSet
  }

  async #loadCollection<Name extends CollectionName>(
    name: Name,
    origins: readonly RecordOf<Name>[],
    resolve: MomentResolver,
  ): Promise<void> {
    const ids = new Set(origins.map(({ id }) => id))
    const surplus = this.indexes.all(name).filter(({ id }) => !ids.has(id))
    for (const record of surplus) this.delete(name, record)
    await Promise.all(origins.map((origin) => this.#loadRecord(name, origin, resolve)))
  }

  async #loadRecord<Name extends CollectionName>(
    name: Name,
    origin: RecordOf<Name>,
    resolve: MomentResolver,
  ): Promise<void> {
    const record = resolve(name, origin)
    const current = this.indexes.held(name, origin.id)
    const isUntouched = current !== undefined && this.#origins.get(current) === origin
    if (isUntouched && hasSameMoments(name, current, record)) return
    const created = await this.put(name, record)
    this.#origins.set(created, origin)
  }

  /**
   * Adds a valid record, or replaces the one with its id. The new one is created before the old one
   * goes, and the indexes swap them in one step: no reader ever misses both.
   */
  async put<Name extends CollectionName>(
    name: Name,
    record: RecordOf<Name>,
  ): Promise<RecordOf<Name>> {
    const previous = this.indexes.held(name, record.id)
    const created = await this.#collectionOf(name).create(record)
    if (previous && this.#held.has(previous)) this.#collectionOf(name).delete(previous as never)
    this.#held.add(created)
    return created as RecordOf<Name>
  }

  delete<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    const held = this.indexes.held(name, record.id) ?? record
    if (this.#held.has(held)) this.#collectionOf(name).delete(held as never)
    else this.#show(() => this.indexes.remove(name, held))
  }

  #show(change: () => void): void {
    if (this.#pending) this.#pending.push(change)
    else change()
  }

  #collectionOf(name: CollectionName): AnyCollection {
    return this.#collections[name]
  }
}
