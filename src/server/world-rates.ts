import { setTimeout } from '../contract/timers.ts'
import { SERVER_BUSY, StoreError, tooManyCostly, tooManyRequests } from '../store/store-error.ts'

/** Maximum number of expensive requests that a world can save up for a burst. */
const BURST = 4

/** Maximum number of expensive requests of a server that are in progress or waiting. */
const MAXIMUM_WAITING = 32

interface RateClock {
  now: () => number
  wait: (ms: number) => Promise<void>
}

/** Captured at import, so that a test's fake timers do not stop it. */
const MACHINE_CLOCK: RateClock = {
  now: performance.now.bind(performance),
  wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms).unref()),
}

interface Bucket {
  /** Number of expensive requests left at `atMs`. */
  left: number
  atMs: number
}

/**
 * Limits on two kinds of requests per world, on one server: requests to the control API with the key of the world, and requests for
 * report pages of any world but the default one. Requests to the emulated API are limited elsewhere, when they are appended to the
 * log.
 */
export class WorldRates {
  readonly #limits: { requests: number; costly: number }
  readonly #clock: RateClock
  readonly #requests = new Map<string, number>()
  #second = 0
  /** Buckets of worlds that have sent expensive requests, the least recently used first. */
  readonly #buckets = new Map<string, Bucket>()
  #waiting = 0
  #lastTurn = Promise.resolve()

  /** `requests` is the limit per second, `costly` the limit per minute. */
  constructor(limits: { requests: number; costly: number }, clock = MACHINE_CLOCK) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Counts a request of a world. @throws StoreError if the world has exceeded its limit */
  take(world: string): void {
    const second = Math.floor(this.#clock.now() / 1000)
    if (second !== this.#second) this.#requests.clear()
    this.#second = second
    const taken = (this.#requests.get(world) ?? 0) + 1
    this.#requests.set(world, taken)
    if (taken <= this.#limits.requests) return
    throw tooManyRequests(this.#limits.requests)
  }

  /**
   * Handles an expensive request of a world. Requests are handled one at a time, each followed by a pause of equal length, so that
   * they take at most half of the processor time.
   *
   * @throws StoreError beyond the limit of the world, or if `MAXIMUM_WAITING` requests are in progress or waiting; and any error of
   * `handle`
   */
  async takeCostly<Result>(world: string, handle: () => Result | Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAXIMUM_WAITING) throw new StoreError('too_busy', SERVER_BUSY)
    this.#spend(world)
    this.#waiting += 1
    const turn = this.#lastTurn
    let end = (): void => undefined
    this.#lastTurn = new Promise((resolve) => (end = resolve))
    await turn
    const beganMs = this.#clock.now()
    try {
      return await handle()
    } finally {
      this.#waiting -= 1
      void this.#clock.wait(this.#clock.now() - beganMs).then(end)
    }
  }

  #spend(world: string): void {
    const nowMs = this.#clock.now()
    const left = this.#leftOf(world, nowMs)
    if (left < 1) {
      const waitSeconds = Math.ceil(((1 - left) * 60) / this.#limits.costly)
      throw tooManyCostly(this.#limits.costly, waitSeconds)
    }
    this.#buckets.delete(world)
    this.#buckets.set(world, { left: left - 1, atMs: nowMs })
    for (const [oldest] of this.#buckets) {
      if (this.#leftOf(oldest, nowMs) < BURST) return
      this.#buckets.delete(oldest)
    }
  }

  #leftOf(world: string, nowMs: number): number {
    const { left, atMs } = this.#buckets.get(world) ?? { left: BURST, atMs: nowMs }
    return Math.min(BURST, left + ((nowMs - atMs) / 60_000) * this.#limits.costly)
  }
}
