import { MEGABYTE } from '../contract/limits.ts'
import { setTimeout } from '../contract/timers.ts'
import { BEAT_SECONDS, SERVER } from './host-functions.ts'
import type { Redis } from './redis.ts'
import { NO_ROOM, StoreError, ENDED_SERVERS, toRefusal } from './store-error.ts'
import { keysOf } from './store-keys.ts'

/** Maximum time that a load waits for room. After that, it is refused. */
const MAXIMUM_WAIT_MS = 2000

/** Heap of a server without worlds, in bytes. */
const SERVER_BYTES = 32 * MEGABYTE

/** Heap of a small world with its caches, in bytes. */
const WORLD_BYTES = 200_000
/** Heap bytes per byte of a world's stored text, in the worst case that `npm run bench -- full-world` measures. */
export const BYTES_PER_STORED = 4

/** Factor for the heap of a world while it is being loaded: its text then needs about half as much again. */
const WHILE_LOADING = 1.5

/** Returns the heap of a world from the size of its stored text, both in bytes. */
export function heapOf(storedBytes: number): number {
  return WORLD_BYTES + BYTES_PER_STORED * storedBytes
}

interface LoadedLimits {
  worlds: number
  bytes: number
}

/**
 * Returns the heap for the worlds of a server, in bytes: half of `heapLimit`, less the server's own heap, but at least that
 * of one small world. The other half is for requests and garbage.
 */
export function bytesOfWorlds(heapLimit: number): number {
  return Math.max(heapLimit / 2 - SERVER_BYTES, WORLD_BYTES)
}

/** Returns the default maximum number of worlds in the memory of a server: as many small ones as fit. */
export function defaultLoaded(heapLimit: number): number {
  return Math.ceil(bytesOfWorlds(heapLimit) / WORLD_BYTES)
}

/**
 * The worlds in the memory of a server. Unused worlds are unloaded if a load or the growth of a world would exceed a
 * limit.
 */
export class LoadedWorlds {
  readonly #limits: LoadedLimits
  readonly #unloadNext: () => boolean
  #worlds = 0
  #bytes = 0
  #waiting: (() => void)[] = []

  /** `unloadNext` unloads a world and calls `free` for it; it returns false if all worlds are in use. */
  constructor(limits: LoadedLimits, unloadNext: () => boolean) {
    this.#limits = limits
    this.#unloadNext = unloadNext
  }

  /**
   * Loads a world with a heap of `bytes` as soon as it fits, or as soon as no other world is loaded.
   *
   * @throws StoreError if it waits longer than `MAXIMUM_WAIT_MS`, and any error of `load`
   */
  async load<Loaded>(bytes: number, load: () => Promise<Loaded>): Promise<Loaded> {
    const endMs = performance.now() + MAXIMUM_WAIT_MS
    while (!this.#makeRoom(bytes * WHILE_LOADING)) {
      if (performance.now() > endMs) throw new StoreError('too_busy', NO_ROOM)
      await this.#untilUnused()
    }
    this.#worlds += 1
    this.#bytes += bytes * WHILE_LOADING
    try {
      const loaded = await load()
      this.#bytes -= bytes * (WHILE_LOADING - 1)
      return loaded
    } catch (error) {
      this.free(bytes * WHILE_LOADING)
      throw error
    }
  }

  /** Records the growth of a world in bytes, negative if it shrank. May unload other worlds. */
  grow(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limits.bytes && this.#unloadNext());
  }

  /** Records that a world with a heap of `bytes` was unloaded. */
  free(bytes: number): void {
    this.#worlds -= 1
    this.#bytes -= bytes
    this.noteUnused()
  }

  /** Lets waiting loads try again, because a world may have become unused. */
  noteUnused(): void {
    for (const tryAgain of this.#waiting.splice(0)) tryAgain()
  }

  #makeRoom(bytes: number): boolean {
    const { worlds, bytes: most } = this.#limits
    const isFull = (): boolean => this.#worlds >= worlds || this.#bytes + bytes > most
    while (this.#worlds > 0 && isFull()) if (!this.#unloadNext()) return false
    return true
  }

  #untilUnused(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      setTimeout(resolve, MAXIMUM_WAIT_MS).unref()
    })
  }
}

interface LoadsOptions {
  redis: Redis
  /** An id that no other server has. */
  server: string
  /** Tells the operator about an error that no client caused. */
  onError: (error: unknown) => void
}

interface NotedLoad {
  /** The Redis command that records the end of the load. */
  end: string[]
  isOver: boolean
}

/** The loads of a server, noted in the store while they are under way, so that no world can crash all servers one by one. */
export class Loads {
  readonly #options: LoadsOptions
  readonly #key: string
  readonly #noted = new Map<string, NotedLoad>()
  #last = 0

  constructor(options: LoadsOptions) {
    this.#options = options
    this.#key = SERVER + options.server
  }

  /**
   * Runs `work`, which loads a world, and keeps a note of the load in the store while it runs.
   *
   * @throws StoreError if earlier loads of the world crashed their servers, or if the store cannot be reached; and any error
   * of `work`
   */
  async note<Result>(world: string, work: () => Promise<Result>): Promise<Result> {
    const [key = ''] = keysOf(world, ['loads'])
    const load = `${this.#options.server}:${(this.#last += 1)}`
    const noted: NotedLoad = { end: ['HDEL', key, load], isOver: false }
    this.#noted.set(load, noted)
    try {
      // A store that accepts no changes can still be read, so the load goes on without a note.
      if (!(await this.#begin(world, { key, load }))) this.#noted.delete(load)
      const result = await work()
      // Success shows that this world did not crash the servers of its earlier loads, so the notes of all its loads are
      // removed.
      noted.end = ['UNLINK', key]
      return result
    } finally {
      noted.isOver = true
      void this.#noteEnd(load)
    }
  }

  /** Allows one more load of a world, even if earlier ones crashed their servers. @throws StoreError */
  async allow(world: string): Promise<void> {
    await this.#options.redis.call('allow_load', keysOf(world, ['loads']), [])
  }

  /**
   * Tells the store that the server runs, and records the ends of loads that could not be recorded earlier. Returns the
   * refusal if the store accepts no changes; otherwise undefined. @throws StoreError if the store cannot be reached
   */
  async beat(): Promise<StoreError | undefined> {
    const { redis } = this.#options
    const refusal = await redis
      .send(['SET', this.#key, '1', 'EX', String(BEAT_SECONDS)])
      .then(() => undefined, toRefusal)
    if (refusal) await redis.call('beat', [this.#key], []).catch(toRefusal)
    const over = [...this.#noted].filter(([, { isOver }]) => isOver)
    await Promise.all(over.map(([load]) => this.#noteEnd(load)))
    return refusal
  }

  /**
   * Records the end of all loads under way, so that a deliberate stop does not count as a crash caused by the worlds
   * being loaded.
   */
  async stop(): Promise<void> {
    await Promise.all([...this.#noted.keys()].map((load) => this.#noteEnd(load)))
  }

  /**
   * Records the load in the store; returns false if the store accepts no changes.
   *
   * @throws StoreError if earlier loads of the world crashed their servers, or if the store cannot be
   * reached
   */
  async #begin(world: string, { key, load }: { key: string; load: string }): Promise<boolean> {
    const { redis, server } = this.#options
    const reply = await redis.call('begin_load', [key, this.#key], [load, server]).catch(toRefusal)
    if (reply instanceof StoreError) return false
    const [status, ended] = reply
    if (status === 'ok') return true
    throw new StoreError('world_unavailable', ENDED_SERVERS, {
      forOperator: `The world ${world} is left alone, because ${String(ended)} servers ended while they loaded it: see their logs, and POST /_sandbox/worlds/${world}/load has it tried again.`,
    })
  }

  async #noteEnd(load: string): Promise<void> {
    const end = this.#noted.get(load)?.end
    if (!end) return
    try {
      await this.#options.redis.send(end)
      this.#noted.delete(load)
    } catch (error) {
      // A StoreError needs no report, because the next beat tries again.
      if (!(error instanceof StoreError)) this.#options.onError(error)
    }
  }
}
