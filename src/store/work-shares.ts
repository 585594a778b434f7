import type { Pause } from '../contract/steps.ts'
import { setImmediate, setTimeout } from '../contract/timers.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import { tooMuchWork } from './store-error.ts'

/** How long work goes on before other clients have their turn, in milliseconds. */
export const TURN_MS = 2

/** How long others have between two turns: a request to another world waits for Redis, which takes less. */
const BETWEEN_TURNS_MS = 2

/** What a world does not use of its share is saved for this long, so that a single large job is possible. */
const SAVED_SECONDS = 2

/** Work shorter than this is counted by the clock alone: asking for the processor time takes as long as a request. */
const SHORT_MS = 5

/** How many jobs of a world may wait for their turn. */
const MOST_WAITING = 100

/** Captured at import, so that fake timers of a test do not stop it. */
const now = performance.now.bind(performance)

function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** What a world has used; its share is subtracted as time goes by. */
interface Used {
  ms: number
  /** When it was that much. */
  atMs: number
}

/**
 * Shares the thread of a server among its worlds: long work takes turns, and each world but the default one has a number
 * of milliseconds a second. Work is counted while it has the thread, and not while it waits.
 */
export class WorkShares {
  readonly #shareMs: number
  /** Worlds that have not saved all they may, the longest unused first. */
  readonly #used = new Map<string, Used>()
  /** Whose work has the thread, and since when. */
  #working: string | undefined
  #sinceMs = 0
  /** The processor time of the process when it was last read, and when that was. */
  #cpuMs = 0
  #askedMs = -Infinity
  /** What waits for its turn, by world; the one whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isTurnDue = false
  #turnEndsMs = 0
  readonly #queues = new Map<string, { last: Promise<unknown>; length: number }>()

  /** `shareMs` is how many milliseconds a second each world but the default one has. */
  constructor(shareMs: number) {
    this.#shareMs = shareMs
  }

  /** @throws StoreError where a world has used up its share, with the seconds until it may begin more. */
  requireShare(world: string): void {
    const waitMs = this.#waitMs(world)
    if (waitMs > 0) throw tooMuchWork(this.#shareMs, Math.ceil(waitMs / 1000))
  }

  /** Counts synchronous work of a world. */
  measure<Result>(world: string, work: () => Result): Result {
    // It is already being counted.
    if (this.#working === world) return work()
    this.#switchTo(world)
    try {
      return work()
    } finally {
      this.#switchTo(undefined)
    }
  }

  /** Counts what another thread has done for a world. */
  spend(world: string, ms: number): void {
    this.#count(world, ms, now())
  }

  /** Counts work of a world that waits for nothing but pauses. */
  async run<Result>(world: string, work: () => Promise<Result>): Promise<Result> {
    this.#begin(world)
    try {
      return await work()
    } finally {
      if (this.#working === world) this.#switchTo(undefined)
    }
  }

  /**
   * Does work of a world when all its earlier work is done.
   *
   * @throws StoreError where too much waits already, or where the world has used up its share when the turn of this work comes.
   */
  async inTurn<Result>(world: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(world) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= MOST_WAITING && this.#isLimited(world)) throw tooMuchWork(this.#shareMs, 1)
    this.#queues.set(world, queue)
    queue.length += 1
    const done = queue.last.then(() => {
      this.requireShare(world)
      return work()
    })
    queue.last = done.catch(() => undefined)
    try {
      return await done
    } finally {
      queue.length -= 1
      if (queue.length === 0) this.#queues.delete(world)
    }
  }

  /** The pause for long work of a world: others have their turn before it goes on. */
  pauseOf(world: string): Pause {
    return () => {
      if (now() >= this.#turnEndsMs) return this.#turnOf(world)
      if (this.#working !== world) this.#begin(world)
      return undefined
    }
  }

  /** The same for work that nothing else waits for: where the world has used up its share, it waits until there is more. */
  patientPauseOf(world: string): Pause {
    const pause = this.pauseOf(world)
    return () => {
      const waitMs = this.#waitMs(world)
      if (waitMs === 0) return pause()
      this.#switchTo(undefined)
      return new Promise((resolve) => void setTimeout(resolve, waitMs).unref()).then(() =>
        this.#turnOf(world),
      )
    }
  }

  #turnOf(world: string): Promise<void> {
    this.#switchTo(undefined)
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(world)
      if (waiting) waiting.push(resolve)
      else this.#waiting.set(world, [resolve])
      if (!this.#isTurnDue) this.#planTurn()
    })
  }

  /** Starts one turn, however many wait, so that whatever else the server does waits for one turn only. */
  readonly #nextTurn = (): void => {
    const [next] = this.#waiting
    if (next) {
      const [world, waiting] = next
      const resolve = waiting.shift()
      this.#waiting.delete(world)
      if (waiting.length > 0) this.#waiting.set(world, waiting)
      this.#begin(world)
      this.#turnEndsMs = this.#sinceMs + TURN_MS
      resolve?.()
    }
    this.#isTurnDue = false
    if (this.#waiting.size > 0) this.#planTurn()
  }

  #planTurn(): void {
    this.#isTurnDue = true
    if (this.#shareMs === Infinity) setImmediate(this.#nextTurn)
    else setTimeout(this.#nextTurn, BETWEEN_TURNS_MS)
  }

  /** Counts time for a world until its work pauses or ends, or until the process looks for other work. */
  #begin(world: string): void {
    this.#switchTo(world)
    const sinceMs = this.#sinceMs
    setImmediate(() => {
      if (this.#working === world && this.#sinceMs === sinceMs) this.#switchTo(undefined)
    })
  }

  #switchTo(world: string | undefined): void {
    const nowMs = now()
    if (this.#working !== undefined) {
      const ms = nowMs - this.#sinceMs
      // The time by the clock may include other processes, and the processor time other threads.
      const tookMs = ms < SHORT_MS ? ms : Math.min(ms, cpuTimeMs() - this.#cpuMs)
      this.#count(this.#working, tookMs, nowMs)
    }
    this.#working = world
    this.#sinceMs = nowMs
    if (world === undefined || nowMs - this.#askedMs < SHORT_MS) return
    this.#askedMs = nowMs
    this.#cpuMs = cpuTimeMs()
  }

  #count(world: string, ms: number, atMs: number): void {
    if (!this.#isLimited(world)) return
    const used = this.#leftOf(this.#used.get(world), atMs) + ms
    this.#used.delete(world)
    this.#used.set(world, { ms: used, atMs })
    for (const [oldest, each] of this.#used) {
      if (this.#leftOf(each, atMs) > 0) return
      this.#used.delete(oldest)
    }
  }

  /** How long a world has to wait before it may begin more. */
  #waitMs(world: string): number {
    if (!this.#isLimited(world)) return 0
    const over = this.#leftOf(this.#used.get(world), now()) - SAVED_SECONDS * this.#shareMs
    return over > 0 ? (over / this.#shareMs) * 1000 : 0
  }

  #leftOf(used: Used | undefined, nowMs: number): number {
    return used ? Math.max(0, used.ms - ((nowMs - used.atMs) / 1000) * this.#shareMs) : 0
  }

  #isLimited(world: string): boolean {
    return world !== DEFAULT_WORLD && this.#shareMs !== Infinity
  }
}
