import { memoizeByObject } from '../contract/cache.ts'
import type { MemoryUse } from '../contract/memory-use.ts'
import type { Seed } from '../fixtures/seed.ts'
import { bytesOfOrigins } from '../records/records.ts'
import type { World } from './world.ts'

/** Counts the seeds that worlds return to when they are reset: each once, however many worlds share it. */
export class SeedMemory {
  readonly #memory: MemoryUse
  readonly #seedOf = new Map<World, Seed>()
  readonly #holders = new Map<Seed, number>()

  constructor(memory: MemoryUse) {
    this.#memory = memory
  }

  /** Counts the seed that a world has now, in place of the one that it had before. */
  count(world: World): void {
    const { seed } = world.options
    if (this.#seedOf.get(world) === seed) return
    this.forget(world)
    this.#memory.add(this.bytesOfNew(seed))
    this.#seedOf.set(world, seed)
    this.#holders.set(seed, (this.#holders.get(seed) ?? 0) + 1)
  }

  forget(world: World): void {
    const seed = this.#seedOf.get(world)
    if (!seed) return
    this.#seedOf.delete(world)
    const others = (this.#holders.get(seed) ?? 0) - 1
    if (others > 0) this.#holders.set(seed, others)
    else this.#holders.delete(seed)
    this.#memory.add(-this.bytesOfNew(seed))
  }

  /** What a seed would take: nothing if a world has it already. */
  bytesOfNew(seed: Seed): number {
    return this.#holders.has(seed) ? 0 : bytesOfSeed(seed)
  }
}

const bytesOfSeed = memoizeByObject(({ records }: Seed) => bytesOfOrigins(records))
