import { setTimeout } from '../contract/timers.ts'
import { MemoryBudget } from '../world/memory-budget.ts'
import { SeedMemory } from '../world/seed-memory.ts'
import { NO_ROOM, StoreError, tooLarge } from './store-error.ts'

/**
 * The memory a world takes while it is loaded, as a multiple of the bytes of its text: the text itself, with two bytes for each
 * character if any of them needs two, and what is read from it.
 */
const LOADING_FACTOR = 3

/** How much of the memory for all worlds one of them may take: little enough for a server to load it again later. */
const SHARE_OF_A_WORLD = 0.2

/** How long a load waits for room. */
const MOST_WAIT_MS = 2000

/** What a server itself takes. In a small heap, half of it would otherwise be more than is left for worlds. */
const SERVER_BYTES = 32 * 2 ** 20

/** How many bytes all worlds may take in the memory of a server, and how many one of them, from the limit for any sandbox. */
export function limitsOf(memoryLimit: number): { limitBytes: number; mostBytes: number } {
  const limitBytes = memoryLimit - SERVER_BYTES
  return { limitBytes, mostBytes: limitBytes * SHARE_OF_A_WORLD }
}

/** The memory that a server has for the worlds of a store, by estimate. */
export class WorldsMemory extends MemoryBudget {
  readonly seeds = new SeedMemory(this.use)
  /** How many bytes a world may take. */
  readonly mostBytes: number
  readonly #limitBytes: number
  #onFreeable: (() => void)[] = []

  constructor(memoryLimit: number, free: () => Iterable<unknown>) {
    const { limitBytes, mostBytes } = limitsOf(memoryLimit)
    super(limitBytes, free)
    this.#limitBytes = limitBytes
    this.mostBytes = mostBytes
  }

  /** Whether a world that other servers have made this large can be held besides what is in use. */
  canHold(bytes: number): boolean {
    return bytes <= this.mostBytes || this.hasRoom(0)
  }

  /** Notes that a load has ended, or that no call needs a world any longer. */
  noteFreeable(): void {
    for (const tryAgain of this.#onFreeable.splice(0)) tryAgain()
  }

  /**
   * Loads a world from a text of this many bytes, as soon as there is room for it besides those in use.
   *
   * @throws StoreError where there is none.
   */
  async whileLoading<Result>(
    { world, textBytes }: { world: string; textBytes: number },
    load: () => Promise<Result>,
  ): Promise<Result> {
    const bytes = textBytes * LOADING_FACTOR
    if (bytes > this.#limitBytes) throw tooLarge(world)
    const endMs = performance.now() + MOST_WAIT_MS
    while (!this.hasRoom(bytes)) {
      if (performance.now() > endMs) throw new StoreError('too_busy', NO_ROOM)
      await this.#untilFreeable()
    }
    this.use.add(bytes)
    try {
      return await load()
    } finally {
      this.use.add(-bytes)
      this.noteFreeable()
    }
  }

  #untilFreeable(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFreeable.push(resolve)
      setTimeout(resolve, MOST_WAIT_MS).unref()
    })
  }
}
