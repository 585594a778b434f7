import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { Cache } from '../contract/cache.ts'
import type { Seed } from '../fixtures/seed.ts'
import { worldNotFound } from '../world/worlds.ts'
import type { Redis } from './redis.ts'
import { DAMAGED, WORLD_EXPIRED, StoreError } from './store-error.ts'
import { isFullness, StoreFullError } from './world-log.ts'
import { BLOB, keysOf } from './store-keys.ts'
import { digestOf } from './world-key.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Maximum number of cached seeds, and their maximum total size, in characters. */
const CACHE_LIMITS = { entries: 200, size: 2_000_000 }

/** Error for a text that a world needs but the store has lost. */
export class MissingText extends StoreError {
  readonly key: string

  constructor(key: string) {
    super('world_damaged', DAMAGED, {
      forOperator: `The store lacks ${key}, which a world was loaded from: restore the store from a backup.`,
    })
    this.key = key
  }
}

/**
 * Data that worlds load: seeds and snapshots. Redis keeps a single copy of each, compressed, under its digest, with the
 * ids of the worlds that need it.
 */
export class StoredInputs {
  readonly #redis: Redis
  readonly #keys = new WeakMap<Seed, string>()
  readonly #seeds = new Cache<string, { seed: Seed; length: number }>({
    ...CACHE_LIMITS,
    sizeOf: (_, { length }) => length,
  })

  constructor(redis: Redis) {
    this.#redis = redis
  }

  readonly keyOf = (seed: Seed): string => {
    const known = this.#keys.get(seed)
    if (known !== undefined) return known
    const key = digestOf(JSON.stringify(seed))
    this.#keys.set(seed, key)
    return key
  }

  /** @throws StoreError */
  async seed(key: string): Promise<Seed> {
    const cached = this.#seeds.get(key)
    if (cached) return cached.seed
    const text = await this.text(key)
    const seed = JSON.parse(text) as Seed
    this.#keys.set(seed, key)
    this.#seeds.set(key, { seed, length: text.length })
    return seed
  }

  /**
   * Stores a text for an entry that must be appended to the log of the world within a minute.
   *
   * @throws CommandError if the world is gone or has no room, StoreError
   */
  async put(text: string, world: string): Promise<void> {
    const keys = keysOf(world, ['log', 'world', 'snapshot'])
    const [status] = await this.keep(text, (digest, packed) =>
      this.#redis.call('put', keys, [digest, packed]),
    )
    if (status === 'missing') throw worldNotFound(world)
    if (status === 'expired') throw new StoreError(status, WORLD_EXPIRED)
  }

  /**
   * Makes a call that stores a text: first with its digest alone, then with its bytes if Redis lacks the text. Returns
   * the last reply.
   *
   * @throws CommandError if the world has no room, StoreError
   */
  async keep(
    text: string,
    call: (digest: string, packed: string | Buffer) => Promise<unknown[]>,
  ): Promise<unknown[]> {
    const digest = digestOf(text)
    let reply = await call(digest, '')
    if (reply[0] === 'absent') reply = await call(digest, await compress(text))
    const [status, maximumBytes] = reply
    if (isFullness(status)) throw new StoreFullError(status, Number(maximumBytes))
    return reply
  }

  /** @throws StoreError */
  async text(key: string): Promise<string> {
    const bytes = (await this.#redis.send(['GET', BLOB + key], { asBytes: true })) as Buffer | null
    if (bytes) return (await expand(bytes)).toString()
    throw new MissingText(BLOB + key)
  }
}
