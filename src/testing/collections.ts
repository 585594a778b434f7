import { Collection, Query as DataQuery } from '@msw/data'
import { mapCollections } from '../contract/collection-facts.ts'
import type { CollectionName } from '../contract/collection-facts.ts'
import { COLLECTIONS } from '../contract/records.ts'
import type { AnyRecord, RecordReader } from '../contract/records.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Maximum number of records in a collection. `@msw/data` reads all of them for every query. */
const MAXIMUM_RECORDS = 10_000

/** A reusable condition on the records of a collection, from `@msw/data`. Conditions can be combined. */
export const Query = DataQuery
export type Query<Model> = DataQuery<Model>

/** The records of a world as collections of `@msw/data`. */
export type Collections = {
  readonly [Name in CollectionName]: Collection<(typeof COLLECTIONS)[Name]>
}

export type CollectionErrorCode =
  /** The method cannot be a command; the message names an alternative. */
  'not_a_command' | 'too_many_records'

/** Thrown if a collection does not support a call, or has more than 10,000 records. Nothing has changed. */
export class CollectionError extends Error {
  override readonly name = 'CollectionError'
  readonly code: CollectionErrorCode

  constructor(code: CollectionErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Returns the records of a sandbox as collections of `@msw/data`. Tests can query and change them like their own models. Every read
 * shows the current records, even after a command, a reset, or the passing of time. Every change is a command.
 */
export async function collections(sandbox: Sandbox | Promise<Sandbox>): Promise<Collections> {
  const [{ world }, keys] = await Promise.all([sandbox, readInternalKeys()])
  const made = mapCollections((name) => new WorldCollection(name, world, keys))
  return made as unknown as Collections
}

type AnySchema = (typeof COLLECTIONS)[CollectionName]
type Row<Schema extends AnySchema> = ReturnType<Collection<Schema>['all']>[number]
type Predicate<Schema extends AnySchema> = Parameters<Collection<Schema>['findFirst']>[0]
type Found<Schema extends AnySchema, Strict> = Strict extends true
  ? Row<Schema>
  : Row<Schema> | undefined

/** Symbols under which `@msw/data` keeps internal data of a record. */
interface InternalKeys {
  /** Symbol of the string by which cursors and relations identify the record. The string never changes. */
  primaryKey: symbol
  /** Symbol of the map with the relations of the record. */
  relations: symbol
}

/** A collection whose rows are replaced by the world's records before every read. */
class WorldCollection<Schema extends AnySchema> extends Collection<Schema> {
  readonly #name: CollectionName
  readonly #world: Sandbox['world']
  readonly #keys: InternalKeys
  /** The row of each record. Records are never changed, only replaced. */
  readonly #rows = new WeakMap<AnyRecord, Row<Schema>>()

  constructor(name: CollectionName, world: Sandbox['world'], keys: InternalKeys) {
    super({ schema: COLLECTIONS[name] as Schema })
    this.#name = name
    this.#world = world
    this.#keys = keys
    this.hooks.hooks.on('newListener', () => {
      throw this.#refuse('hooks', 'The world also changes without it. Read the collection again.')
    })
  }

  override all(): Row<Schema>[] {
    return [...this.#refresh()]
  }

  override count(): number {
    return this.#refresh().length
  }

  override findFirst<Strict extends boolean>(
    predicate?: Predicate<Schema>,
    options?: { strict?: Strict },
  ): Found<Schema, Strict> {
    this.#refresh()
    return super.findFirst(predicate, options)
  }

  override findMany(...query: Parameters<Collection<Schema>['findMany']>): Row<Schema>[] {
    this.#refresh()
    return super.findMany(...query)
  }

  /**
   * Adds a record with the command `record.put`.
   *
   * @throws CommandError if the record is invalid, or its id is taken.
   */
  override async create(values: Parameters<Collection<Schema>['create']>[0]): Promise<Row<Schema>> {
    const { record } = await this.#world.addRecord(this.#name, { ...values })
    return this.#rowOf(record)
  }

  /** Adds records one after the other. If a record is refused, the earlier ones remain. */
  override async createMany(
    count: number,
    valuesAt: Parameters<Collection<Schema>['createMany']>[1],
  ): Promise<Row<Schema>[]> {
    const rows: Row<Schema>[] = []
    for (let index = 0; index < count; index += 1) rows.push(await this.create(valuesAt(index)))
    return rows
  }

  /**
   * Changes the first matching record, by the command `record.patch`, or by `record.put` if a field is removed. Returns
   * undefined if no record matches, unless `strict`.
   *
   * @throws CommandError if the record becomes invalid; OperationError of `@msw/data` if `strict` and no record
   * matches.
   */
  override async update<Strict extends boolean>(
    predicate: Parameters<Collection<Schema>['update']>[0],
    options: Parameters<Collection<Schema>['update']>[1] & { strict?: Strict },
  ): Promise<Found<Schema, Strict>> {
    const { strict } = options
    const row = this.findFirst(toQuery(predicate), strict === undefined ? {} : { strict })
    return row && this.#change(row, options.data)
  }

  /** Changes all matching records, one after the other. If a change is refused, the earlier ones remain. */
  override async updateMany(
    predicate: Parameters<Collection<Schema>['updateMany']>[0],
    options: Parameters<Collection<Schema>['updateMany']>[1],
  ): Promise<Row<Schema>[]> {
    const { data, orderBy, strict = false } = options
    const changed = new Set<number>()
    for (const row of this.findMany(predicate, { strict })) {
      changed.add((await this.#change(row, data)).id)
    }
    const isChanged = new Query<Row<Schema>>(({ id }) => changed.has(id))
    return this.findMany(isChanged, orderBy === undefined ? {} : { orderBy })
  }

  override delete(): never {
    throw this.#refuse('delete', this.#deletion)
  }

  override deleteMany(): never {
    throw this.#refuse('deleteMany', `${this.#deletion} Repeat it for each record.`)
  }

  override clear(): never {
    throw this.#refuse('clear', `${this.#deletion} Repeat it for each record.`)
  }

  override defineRelations(): never {
    const command = `await sandbox.command({ type: 'record.patch', collection: '${this.#name}', id, patch })`
    throw this.#refuse(
      'defineRelations',
      `The relations of a world are the ids in its records. Set them with ${command}.`,
    )
  }

  get #deletion(): string {
    return `It would have to wait for a command. Send it yourself: await sandbox.command({ type: 'record.delete', collection: '${this.#name}', id }).`
  }

  #refuse(method: string, reason: string): CollectionError {
    const message = `${this.#name}.${method} is not possible in a world. ${reason}`
    return new CollectionError('not_a_command', message)
  }

  /** Replaces the rows with the current records. `super.all()` is the list in which `@msw/data` keeps the rows. */
  #refresh(): Row<Schema>[] {
    const rows = super.all()
    const current = readRecords(this.#world.records, this.#name).map((record) =>
      this.#rowOf(record),
    )
    rows.splice(0, rows.length, ...current)
    return rows
  }

  /** Returns a frozen copy of a record, with the internal data that `@msw/data` expects. */
  #rowOf(record: AnyRecord): Row<Schema> {
    const known = this.#rows.get(record)
    if (known) return known
    const { primaryKey, relations } = this.#keys
    const row = Object.defineProperties(copyFields(record), {
      [primaryKey]: { value: `${this.#name} ${record.id}` },
      [relations]: { value: new Map() },
    }) as unknown as Row<Schema>
    Object.freeze(row)
    this.#rows.set(record, row)
    return row
  }

  async #change(
    row: Row<Schema>,
    change: Parameters<Collection<Schema>['update']>[1]['data'],
  ): Promise<Row<Schema>> {
    const draft = structuredClone(row)
    await change(draft as Parameters<typeof change>[0])
    const changes = changesOf(row, draft)
    if (!changes) return this.#rowOf(await this.#put(draft))
    if (Object.keys(changes).length === 0) return row
    const { record } = await this.#world.command({
      type: 'record.patch',
      collection: this.#name,
      id: row.id,
      patch: changes,
    })
    return this.#rowOf(record)
  }

  async #put(draft: object): Promise<AnyRecord> {
    const record = { ...draft }
    const command = { type: 'record.put', collection: this.#name, record } as const
    return (await this.#world.command(command)).record
  }
}

/** Reads the symbols from a sample record, because `@msw/data` does not export them. */
async function readInternalKeys(): Promise<InternalKeys> {
  const made = await new Collection({ schema: COLLECTIONS.agencies }).create({ id: 1, name: '' })
  const symbols = Object.getOwnPropertySymbols(made)
  const values = made as unknown as Record<symbol, unknown>
  const primaryKey = symbols.find((symbol) => typeof values[symbol] === 'string')
  const relations = symbols.find((symbol) => values[symbol] instanceof Map)
  if (primaryKey && relations) return { primaryKey, relations }
  throw new TypeError('@msw/data marks its records differently.')
}

/**
 * Returns the records of a collection by ascending id.
 *
 * @throws CollectionError if there are more than `MAXIMUM_RECORDS`.
 */
function readRecords(reader: RecordReader, name: CollectionName): AnyRecord[] {
  const records: AnyRecord[] = []
  let count = 0
  for (const list of listsOf(reader, name)) {
    count += list.length
    if (count <= MAXIMUM_RECORDS) records.push(...list)
  }
  if (count <= MAXIMUM_RECORDS) return records.toSorted((one, other) => one.id - other.id)
  const [found, most] = [count, MAXIMUM_RECORDS].map((number) => number.toLocaleString('en'))
  throw new CollectionError(
    'too_many_records',
    `This world has ${found} ${name}; a collection shows at most ${most}. Use a smaller world, or sandbox.world.records.`,
  )
}

/**
 * Yields the records of a collection in lists. Keywords and reports are read project by project, because a generated
 * world creates them when they are read.
 */
function* listsOf(reader: RecordReader, name: CollectionName): Generator<readonly AnyRecord[]> {
  if (name !== 'keywords' && name !== 'reports') {
    yield reader.all(name)
    return
  }
  for (const { id } of reader.all('projects')) {
    yield name === 'keywords' ? reader.keywordsOf(id) : reader.reportsOf(id)
  }
}

/**
 * Returns the query for a predicate. A record as a predicate matches by its id alone, because its other fields may be
 * out of date.
 */
function toQuery<Schema extends AnySchema>(
  predicate: Parameters<Collection<Schema>['update']>[0],
): NonNullable<Predicate<Schema>> {
  if (typeof predicate === 'function' || predicate instanceof Query) return predicate
  return new Query<Row<Schema>>(({ id }) => id === predicate.id)
}

/**
 * Returns the changed fields of a record; undefined if a field was removed, because a patch cannot remove a field that may be null.
 */
function changesOf(before: object, after: object): Record<string, unknown> | undefined {
  const fields = new Map(Object.entries(before))
  const isKept = (field: string): boolean => (after as Record<string, unknown>)[field] !== undefined
  if (![...fields.keys()].every(isKept)) return undefined
  const changed = Object.entries(after).filter(
    ([field, value]) => !isSame(fields.get(field), value),
  )
  return Object.fromEntries(changed)
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (!isObject(one) || !isObject(other)) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function copyFrozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(copyFrozen))
  return isObject(value) ? Object.freeze(copyFields(value)) : value
}

/**
 * Copies an object, with its nested values frozen. Content that is generated on access stays lazy, because generating
 * it takes a long time.
 */
function copyFields(source: object): object {
  const copy = {}
  for (const [field, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(source))) {
    const { enumerable = false } = descriptor
    let made: unknown
    const read = () => (made ??= copyFrozen((source as Record<string, unknown>)[field]))
    const part = 'value' in descriptor ? { value: read() } : { get: read }
    Object.defineProperty(copy, field, { ...part, enumerable })
  }
  return copy
}
