import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Seed } from '../fixtures/seed.ts'
import type { Redis } from './redis.ts'
import { DAMAGED, StoreError } from './store-error.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

const BLOB = 'seo-sandbox:blob:'

/** How long a new one is kept before the world that it is for must exist. */
const UNUSED_MS = 3_600_000

/** How many seeds are kept in memory besides those that worlds hold. */
const CACHED_SEEDS = 32

/** The store has lost what a world was loaded from. */
export class MissingText extends StoreError {
  /** Where it was in Redis. */
  readonly key: string

  constructor(key: string) {
    super('world_damaged', DAMAGED, {
      forOperator: `The store lacks ${key}, which a world was loaded from: restore the store from a backup.`,
    })
    this.key = key
  }
}

/** What worlds load: seeds and snapshots, each kept in Redis once, compressed, under its digest, with the worlds that use it. */
export class StoredInputs {
  readonly #redis: Redis
  readonly #keys = new WeakMap<Seed, string>()
  /** The latest last. */
  readonly #seeds = new Map<string, Promise<Seed>>()

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** The digest of a seed. */
  readonly keyOf = (seed: Seed): string => {
    const known = this.#keys.get(seed)
    if (known !== undefined) return known
    const key = digestOf(JSON.stringify(seed))
    this.#keys.set(seed, key)
    return key
  }

  /** @throws StoreError */
  seed(key: string): Promise<Seed> {
    const cached = this.#seeds.get(key)
    this.#seeds.delete(key)
    const seed = cached ?? this.#readSeed(key)
    this.#seeds.set(key, seed)
    seed.catch(() => this.#seeds.delete(key))
    for (const oldest of this.#seeds.keys()) {
      if (this.#seeds.size <= CACHED_SEEDS) break
      this.#seeds.delete(oldest)
    }
    return seed
  }

  /** Keeps a text for a world, and returns its digest. @throws StoreError */
  async put(text: string, world: string): Promise<string> {
    const key = digestOf(text)
    // Before the text, so that nobody removes that as unused.
    await this.#redis.send(['ZADD', usersOf(key), String(await this.#redis.now()), world])
    if ((await this.#redis.send(['EXISTS', BLOB + key])) === 0) {
      await this.#redis.send(['SET', BLOB + key, await compress(text)])
    }
    return key
  }

  /** @throws StoreError */
  async text(key: string): Promise<string> {
    const bytes = (await this.#redis.send(['GET', BLOB + key], { asBytes: true })) as Buffer | null
    if (bytes) return (await expand(bytes)).toString()
    throw new MissingText(BLOB + key)
  }

  /** Removes those whose worlds are gone. */
  async removeUnused(isGone: (world: string) => Promise<boolean>): Promise<void> {
    let cursor = '0'
    do {
      const [next, keys] = (await this.#redis.send(scanFrom(cursor))) as [string, string[]]
      cursor = next
      for (const users of keys) await this.#removeUsers(users, isGone)
    } while (cursor !== '0')
  }

  async #removeUsers(users: string, isGone: (world: string) => Promise<boolean>): Promise<void> {
    const before = String((await this.#redis.now()) - UNUSED_MS)
    const longAgo = ['ZRANGE', users, '-inf', before, 'BYSCORE']
    const worlds = (await this.#redis.send(longAgo)) as string[]
    for (const world of worlds) {
      if (await isGone(world)) await this.#redis.send(['ZREM', users, world])
    }
    const left = await this.#redis.send(['EXISTS', users])
    if (left === 0) await this.#redis.send(['DEL', users.replace(/:worlds$/, '')])
  }

  async #readSeed(key: string): Promise<Seed> {
    const seed = JSON.parse(await this.text(key)) as Seed
    this.#keys.set(seed, key)
    return seed
  }
}

function scanFrom(cursor: string): string[] {
  return ['SCAN', cursor, 'MATCH', `${BLOB}*:worlds`, 'COUNT', '1000']
}

function usersOf(key: string): string {
  return `${BLOB}${key}:worlds`
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
