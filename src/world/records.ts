import { Collection } from '@msw/data'
import { COLLECTION_NAMES, COLLECTIONS, resolveMoments } from '../contract/records.ts'
import type { CollectionName, RecordOf, RecordSet } from '../contract/records.ts'
import { Indexes } from './indexes.ts'

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

  constructor() {
    for (const name of COLLECTION_NAMES) {
      const { hooks } = this.#collectionOf(name)
      hooks.on('create', ({ data }) => this.indexes.put(name, data.record))
      hooks.on('delete', ({ data }) => this.indexes.remove(name, data.deletedRecord))
    }
  }

  /** The records of a validated set, its relative dates resolved by the world clock. */
  static async load(set: RecordSet, nowMs: number): Promise<Records> {
    const records = new Records()
    for (const name of COLLECTION_NAMES) {
      const collection = records.#collectionOf(name)
      const resolved = set[name].map((record) => resolveMoments(name, record, nowMs))
      await Promise.all(resolved.map((record) => collection.create(record)))
    }
    return records
  }

  /**
   * Adds a valid record, or replaces the one with its id. The new one is created before the old one
   * goes, and the indexes swap them in one step: no reader ever misses both.
   */
  async put<Name extends CollectionName>(name: Name, record: RecordOf<Name>): Promise<void> {
    const previous = this.indexes.get(name, record.id)
    await this.#collectionOf(name).create(record)
    if (previous) this.#collectionOf(name).delete(previous as never)
  }

  delete<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    this.#collectionOf(name).delete(record as never)
  }

  #collectionOf(name: CollectionName): AnyCollection {
    return this.#collections[name]
  }
}
