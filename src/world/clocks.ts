import { LATEST_MS, resolveMs, toDateTime } from '../contract/time.ts'
import type { ClockState } from '../journal/applied-command.ts'
import { addDuration } from './duration.ts'
import type { Duration } from './duration.ts'

/** The times of both clocks of a world, as a snapshot keeps them. */
export interface ClockPosition {
  /** The world clock in epoch milliseconds. */
  worldMs: number
  /** True if the world clock is stopped. */
  frozen: boolean
  /** Lead of the rate clock over the machine's clock, in milliseconds. */
  rateOffsetMs: number
}

/**
 * The two clocks of a world. The world clock is the time of the data: it decides the calendar month, the progress of reports with
 * time, and `cache_refreshed_at`. The rate clock decides rate windows, `X-RateLimit-Reset` and `Date`, and so keeps pace with the
 * client's own clock (trap T21). Neither uses timers: both are computed on demand.
 */
export class Clock {
  readonly #realNow: () => number
  #worldOffsetMs = 0
  #rateOffsetMs = 0
  #frozenAtMs: number | undefined

  /** `realNow` returns the machine's time in epoch milliseconds. Never cached, so that fake timers move both clocks. */
  constructor(realNow: () => number) {
    this.#realNow = realNow
  }

  worldMs(): number {
    return Math.min(this.#frozenAtMs ?? this.#realNow() + this.#worldOffsetMs, LATEST_MS)
  }

  rateMs(): number {
    return this.#realNow() + this.#rateOffsetMs
  }

  get isFrozen(): boolean {
    return this.#frozenAtMs !== undefined
  }

  get position(): ClockPosition {
    return { worldMs: this.worldMs(), frozen: this.isFrozen, rateOffsetMs: this.#rateOffsetMs }
  }

  /**
   * Continues from saved times. The world clock does not count the time since they were saved. The rate clock keeps its offset from
   * the machine's clock, because clients compare it with their own.
   */
  resume({ worldMs, frozen, rateOffsetMs }: ClockPosition): void {
    this.#frozenAtMs = frozen ? worldMs : undefined
    this.#moveWorldTo(worldMs)
    this.#rateOffsetMs = rateOffsetMs
  }

  /**
   * Sets the world clock only. `moment` is a validated date, datetime or relative time.
   *
   * @returns The new time, in epoch milliseconds.
   */
  set(moment: string): number {
    const ms = resolveMs(moment, this.worldMs())
    this.#moveWorldTo(ms)
    return ms
  }

  /** True if the advance takes neither clock past the year 9999. */
  canAdvance(duration: Duration): boolean {
    const worldMs = this.worldMs()
    const afterMs = addDuration(worldMs, duration)
    return Math.max(afterMs, this.rateMs() + afterMs - worldMs) <= LATEST_MS
  }

  /** Advances the world clock by a calendar duration, and the rate clock by the same number of milliseconds. */
  advance(duration: Duration): void {
    const beforeMs = this.worldMs()
    const afterMs = addDuration(beforeMs, duration)
    this.#moveWorldTo(afterMs)
    this.#rateOffsetMs += afterMs - beforeMs
  }

  /** Stops the world clock, or resumes it from its current time. */
  freeze(frozen: boolean): void {
    const worldMs = this.worldMs()
    this.#frozenAtMs = frozen ? worldMs : undefined
    this.#moveWorldTo(worldMs)
  }

  #moveWorldTo(ms: number): void {
    if (this.#frozenAtMs !== undefined) this.#frozenAtMs = ms
    this.#worldOffsetMs = ms - this.#realNow()
  }
}

/** Returns both clocks in the format of the control API. */
export function toClockState(clock: Clock): ClockState {
  return {
    now: toDateTime(clock.worldMs()),
    frozen: clock.isFrozen,
    rate_clock: toDateTime(clock.rateMs()),
  }
}

/**
 * The machine's clock, pinned while a request or a command is handled. Each request or command then sees a single time, so that a
 * session can be replayed from start times alone.
 */
export class PinnedClock {
  readonly #realNow: () => number
  #pinnedMs: number | undefined

  /** `realNow` returns the machine's time in epoch milliseconds. */
  constructor(realNow: () => number) {
    this.#realNow = realNow
  }

  readonly now = (): number => this.#pinnedMs ?? this.#realNow()

  /** Runs synchronous work, such as a request, at a pinned time. Afterwards, restores the pinned time of a running command. */
  pin<Result>(run: (nowMs: number) => Result): Result {
    const outerMs = this.#pinnedMs
    const nowMs = this.#realNow()
    this.#pinnedMs = nowMs
    try {
      return run(nowMs)
    } finally {
      this.#pinnedMs = outerMs
    }
  }

  /** Runs asynchronous work, such as a command, at a pinned time. Must not be called again before the work has ended. */
  async pinDuring<Result>(run: (nowMs: number) => Promise<Result>): Promise<Result> {
    const nowMs = this.#realNow()
    this.#pinnedMs = nowMs
    try {
      return await run(nowMs)
    } finally {
      this.#pinnedMs = undefined
    }
  }
}
