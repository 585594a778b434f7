import { MEGABYTE } from '../contract/limits.ts'
import { setTimeout } from '../contract/timers.ts'
import { NO_ROOM, StoreError } from './store-error.ts'

/** Maximum wait of a load for room. */
const MOST_WAIT_MS = 2000

/** Heap of a server without worlds, in bytes. */
const SERVER_BYTES = 32 * MEGABYTE

/** Heap of a small world with its caches, in bytes. */
const WORLD_BYTES = 200_000
/** Heap for each byte of its stored text, in the worst case that `npm run bench -- full-world` measures. */
export const BYTES_PER_STORED = 4

/** While a world is loaded, its text takes about half as much again. */
const WHILE_LOADING = 1.5

/** The heap of a world whose stored text has so many bytes. */
export function heapOf(storedBytes: number): number {
  return WORLD_BYTES + BYTES_PER_STORED * storedBytes
}

interface LoadedLimits {
  worlds: number
  bytes: number
}

/** Heap for the worlds of a server, in bytes: half of it; the other half is for requests and for garbage. */
export function bytesOfWorlds(heapLimit: number): number {
  return Math.max(heapLimit / 2 - SERVER_BYTES, WORLD_BYTES)
}

/** Number of small worlds that a server holds. */
export function defaultLoaded(heapLimit: number): number {
  return Math.ceil(bytesOfWorlds(heapLimit) / WORLD_BYTES)
}

/** The worlds in the memory of a server: up to a number, and up to a total of bytes, of those that are not in use. */
export class LoadedWorlds {
  readonly #limits: LoadedLimits
  readonly #unloadNext: () => boolean
  #worlds = 0
  #bytes = 0
  #waiting: (() => void)[] = []

  /** `unloadNext` unloads a world, for which `free` is called; it returns false where all are in use. */
  constructor(limits: LoadedLimits, unloadNext: () => boolean) {
    this.#limits = limits
    this.#unloadNext = unloadNext
  }

  /** Loads a world of so many bytes once there is room for it, or once it is alone. @throws StoreError where it waits too long */
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

  /** Notes that a world has grown, or shrunk where negative, which may unload others. */
  grow(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limits.bytes && this.#unloadNext());
  }

  /** Notes that a world of so many bytes is unloaded. */
  free(bytes: number): void {
    this.#worlds -= 1
    this.#bytes -= bytes
    this.noteUnused()
  }

  /** Notes that no call needs a world any longer. */
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
