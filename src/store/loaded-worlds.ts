import { MEGABYTE } from '../contract/limits.ts'
import { setTimeout } from '../contract/timers.ts'
import { BEAT_SECONDS, SERVER } from './host-functions.ts'
import type { Redis } from './redis.ts'
import { NO_ROOM, StoreError, ENDED_SERVERS, toRefusal } from './store-error.ts'
import { keysOf } from './store-keys.ts'

/** Maximum time that a load waits for room. */
const MOST_WAIT_MS = 2000

/** Heap of a server without worlds, in bytes. */
const SERVER_BYTES = 32 * MEGABYTE

/** Heap of a small world with its caches, in bytes. */
const WORLD_BYTES = 200_000
/** Heap for each byte of its stored text, in the worst case that `npm run bench -- full-world` measures. */
export const BYTES_PER_STORED = 4

/** Factor for a world that is being loaded: its text takes about half as much again. */
const WHILE_LOADING = 1.5

/** Returns the heap of a world, in bytes, from the bytes of its stored text. */
export function heapOf(storedBytes: number): number {
  return WORLD_BYTES + BYTES_PER_STORED * storedBytes
}

interface LoadedLimits {
  worlds: number
  bytes: number
}

/** Returns the heap for the worlds of a server, in bytes: half of it; the other half is for requests and for garbage. */
export function bytesOfWorlds(heapLimit: number): number {
  return Math.max(heapLimit / 2 - SERVER_BYTES, WORLD_BYTES)
}

/** Returns the default maximum number of small worlds that a server holds. */
export function defaultLoaded(heapLimit: number): number {
  return Math.ceil(bytesOfWorlds(heapLimit) / WORLD_BYTES)
}

/** The worlds in the memory of a server. Unused ones are unloaded beyond a maximum number, or a maximum total of bytes. */
export class LoadedWorlds {
  readonly #limits: LoadedLimits
  readonly #unloadNext: () => boolean
  #worlds = 0
  #bytes = 0
  #waiting: (() => void)[] = []

  /** `unloadNext` unloads a world, for which `free` is called; it returns false if all worlds are in use. */
  constructor(limits: LoadedLimits, unloadNext: () => boolean) {
    this.#limits = limits
    this.#unloadNext = unloadNext
  }

  /** Loads a world of this size once there is room for it, or once it is alone. @throws StoreError if it waits too long */
  async load<Loaded>(bytes: number, load: () => Promise<Loaded>): Promise<Loaded> {
    const endMs = performance.now() + MOST_WAIT_MS
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

  /** Records the growth of a world, negative for shrinking, which may unload other worlds. */
  grow(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limits.bytes && this.#unloadNext());
  }

  /** Records that a world of this size is unloaded. */
  free(bytes: number): void {
    this.#worlds -= 1
    this.#bytes -= bytes
    this.noteUnused()
  }

  /** Records that no call needs a world any longer. */
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
      setTimeout(resolve, MOST_WAIT_MS).unref()
    })
  }
}

interface LoadsOptions {
  redis: Redis
  /** An id that is unique among servers. */
  server: string
  /** Tells the operator about an error that no client caused. */
  onError: (error: unknown) => void
}

interface NotedLoad {
  /** The command that records the end of the load. */
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

  /** Does the work that loads a world. @throws StoreError if the world has ended too many servers, and any error of `work` */
  async note<Result>(world: string, work: () => Promise<Result>): Promise<Result> {
    const [key = ''] = keysOf(world, ['loads'])
    const load = `${this.#options.server}:${(this.#last += 1)}`
    const noted: NotedLoad = { end: ['HDEL', key, load], isOver: false }
    this.#noted.set(load, noted)
    try {
      // A store that takes no changes can still be read.
      if (!(await this.#begin(world, { key, load }))) this.#noted.delete(load)
      const result = await work()
      // This load succeeded, so the servers of earlier ones ended for other reasons.
      noted.end = ['UNLINK', key]
      return result
    } finally {
      noted.isOver = true
      void this.#noteEnd(load)
    }
  }

  /** Lets a world that ended too many servers be loaded once more. @throws StoreError */
  async allow(world: string): Promise<void> {
    await this.#options.redis.call('allow_load', keysOf(world, ['loads']), [])
  }

  /**
   * Shows that the server runs, and records ends of loads that the store refused earlier. Returns the reason if the store takes
   * no changes. @throws StoreError if the store is not reached
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

  /** Records that the server stops on purpose, and not because of a load. */
  async stop(): Promise<void> {
    await Promise.all([...this.#noted.keys()].map((load) => this.#noteEnd(load)))
  }

  /** Records the load in the store; returns whether the store took it. */
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
      // The next beat records it.
      if (!(error instanceof StoreError)) this.#options.onError(error)
    }
  }
}
