import { MEGABYTE } from '../contract/megabyte.ts'
import { MemoryUse } from '../contract/memory-use.ts'
import { CommandError } from './command-error.ts'

/** The share of the memory that records may take; the rest stays for caches and journals. */
const RECORD_SHARE = 0.75

/** The share that stays in use when requests have filled the memory, so that not every request has to free some. */
const REMAINING_SHARE = 0.9

/** The memory that the worlds of a process may take, by estimate. */
export class MemoryBudget {
  /** What they take. */
  readonly use = new MemoryUse()
  readonly #limit: number
  readonly #free: () => Iterable<unknown>

  /** `free` frees memory step by step, beginning with what is needed least. */
  constructor(limitBytes: number, free: () => Iterable<unknown>) {
    this.#limit = limitBytes
    this.#free = free
  }

  /** Frees memory where requests have filled it. Called after each of them; usually it costs nothing. */
  relieve(): void {
    if (this.use.bytes > this.#limit) this.#freeDownTo(this.#limit * REMAINING_SHARE)
  }

  /** Makes room for this many bytes, and returns whether there is. */
  hasRoom(bytes: number): boolean {
    this.#freeDownTo(this.#limit - bytes)
    return this.use.bytes <= this.#limit - bytes
  }

  /** Makes room for records of this many bytes. @throws CommandError where there is none. */
  requireRoom(bytes: number): void {
    if (bytes <= 0) return
    const mostBytes = this.#limit * RECORD_SHARE - bytes
    this.#freeDownTo(mostBytes)
    if (this.use.bytes <= mostBytes) return
    const [needed, limit] = [bytes, this.#limit].map((count) => Math.ceil(count / MEGABYTE))
    const message = `This needs ${needed} MB of memory, which the ${limit} MB for all worlds do not have left: every isolated world was used within the last minute, and a world in use is not dropped. Drop one that is no longer needed, or start Node with a larger --max-old-space-size.`
    throw new CommandError('insufficient_memory', [{ path: [], message }])
  }

  #freeDownTo(bytes: number): void {
    if (this.use.bytes <= bytes) return
    for (const _ of this.#free()) if (this.use.bytes <= bytes) return
  }
}
