import { LATEST_MS, resolveMs, toDateTime } from '../contract/moments.ts'
import type { ClockState } from '../journal/clock-state.ts'
import { addDuration } from './duration.ts'
import type { Duration } from './duration.ts'

/** Where both clocks of a world stand, as a snapshot keeps it. */
export interface ClockPosition {
  /** The world clock in epoch milliseconds. */
  worldMs: number
  /** Whether the world clock stands still. */
  frozen: boolean
  /** How far the rate clock was moved on from the machine's, in milliseconds. */
  rateOffsetMs: number
}

/**
 * The two clocks of a world. The world clock decides the calendar month and `cache_refreshed_at`;
 * the rate clock decides rate windows, `X-RateLimit-Reset` and `Date`, and so stays with the
 * client's own (trap T21). Nothing waits: both are computed when asked.
 */
export class Clock {
  readonly #realNow: () => number
  #worldOffsetMs = 0
  #rateOffsetMs = 0
  #frozenAtMs: number | undefined

  /** `realNow` is read at each use, in epoch milliseconds, so that fake timers move both clocks. */
  constructor(realNow: () => number) {
    this.#realNow = realNow
  }

  /** The world clock in epoch milliseconds. */
  worldMs(): number {
    return Math.min(this.#frozenAtMs ?? this.#realNow() + this.#worldOffsetMs, LATEST_MS)
  }

  /** The rate clock in epoch milliseconds. */
  rateMs(): number {
    return this.#realNow() + this.#rateOffsetMs
  }

  get isFrozen(): boolean {
    return this.#frozenAtMs !== undefined
  }

  get position(): ClockPosition {
    return {
      worldMs: this.worldMs(),
      frozen: this.isFrozen,
      rateOffsetMs: this.#rateOffsetMs,
    }
  }

  /**
   * Goes on from where clocks stood. The time that has passed since has not passed on the world clock,
   * while the rate clock stays as far from the machine's as it was: it is the one that clients compare
   * with their own.
   */
  resume({ worldMs, frozen, rateOffsetMs }: ClockPosition): void {
    this.#frozenAtMs = frozen ? worldMs : undefined
    this.#moveWorldTo(worldMs)
    this.#rateOffsetMs = rateOffsetMs
  }

  /**
   * Re-dates the world clock only. `moment` is a validated date, datetime or relative form.
   *
   * @returns the time it was set to, in epoch milliseconds.
   */
  set(moment: string): number {
    const ms = resolveMs(moment, this.worldMs())
    this.#moveWorldTo(ms)
    return ms
  }

  /** Whether both clocks would still have a four-digit year. */
  canAdvance(duration: Duration): boolean {
    const worldMs = this.worldMs()
    const afterMs = addDuration(worldMs, duration)
    return Math.max(afterMs, this.rateMs() + afterMs - worldMs) <= LATEST_MS
  }

  /** The clock as it is now, to be gone back to. */
  save(): () => void {
    const [worldOffsetMs, rateOffsetMs, frozenAtMs] = [
      this.#worldOffsetMs,
      this.#rateOffsetMs,
      this.#frozenAtMs,
    ]
    return () => {
      this.#worldOffsetMs = worldOffsetMs
      this.#rateOffsetMs = rateOffsetMs
      this.#frozenAtMs = frozenAtMs
    }
  }

  /** Moves both clocks on: by the calendar of the world clock, and by the milliseconds that come out. */
  advance(duration: Duration): void {
    const beforeMs = this.worldMs()
    const afterMs = addDuration(beforeMs, duration)
    this.#moveWorldTo(afterMs)
    this.#rateOffsetMs += afterMs - beforeMs
  }

  /** Stops the world clock, or lets it run on from where it stands. */
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

/** The two clocks as they are shown. */
export function toClockState(clock: Clock): ClockState {
  return {
    now: toDateTime(clock.worldMs()),
    frozen: clock.isFrozen,
    rate_clock: toDateTime(clock.rateMs()),
  }
}
