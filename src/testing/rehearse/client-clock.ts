import { syncBuiltinESMExports } from 'node:module'
import { scheduler } from 'node:timers/promises'
import * as timersPromises from 'node:timers/promises'
import FakeTimers from '@sinonjs/fake-timers'
import {
  clearTimeout as realClearTimeout,
  setTimeout as realSetTimeout,
} from '../../contract/timers.ts'
import { createRandom } from '../../records/random.ts'
import type { DelayTimers } from '../../sandbox/delivery.ts'

/** Globals to replace. `setImmediate`, `nextTick`, microtasks, message channels and files stay real. */
const FAKED = [
  'Date',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'performance',
  'hrtime',
  'Intl',
] as const

/**
 * Number of consecutive reads of the clock that count as a busy wait. Each further read advances the clock by a millisecond.
 */
const BUSY_WAIT_READS = 10_000

/** Saved at import, to detect a replaced `Date`. */
const REAL_DATE = Date

type FakeClock = ReturnType<typeof FakeTimers.install>

/** The clock of this process during a rehearsal. It stands still unless moved, or read in a busy wait. */
export class ClientClock {
  readonly #clock: FakeClock
  readonly #restore: (() => void)[] = []
  #reads = 0
  #isRestored = false

  /**
   * Replaces the clock and the timers of this process. Seeds `Math.random`, so that random pauses of a client are the
   * same in each rehearsal.
   */
  constructor({ startMs, seed }: { startMs: number; seed: string }) {
    this.#clock = FakeTimers.install({
      now: startMs,
      toFake: [...FAKED],
      // A run may clear a timer that was set before the clock was replaced.
      shouldClearNativeTimers: true,
    })
    this.#restore.push(() => this.#clock.uninstall())
    this.#advanceDuringBusyWaits()
    this.#keepTimersUsable()
    const numbers = createRandom(seed, 'rehearsal', 'Math.random')
    this.#restore.push(
      replace(Math, 'random', () => numbers.next()),
      replace(AbortSignal, 'timeout', abortAfter),
      replace(scheduler, 'wait', waitFor),
    )
    // Otherwise named imports of Node's modules would keep the real functions.
    syncBuiltinESMExports()
  }

  /** True if the clock or the timers of this process are already replaced. */
  static get isTaken(): boolean {
    return Date !== REAL_DATE || setTimeout !== realSetTimeout || 'clock' in setTimeout
  }

  get nowMs(): number {
    return this.#clock.now
  }

  get timers(): DelayTimers {
    const { setTimeout, clearTimeout } = this.#clock
    return { setTimeout, clearTimeout }
  }

  /** Time of the next timer, in epoch milliseconds; undefined if there is none. */
  get nextMs(): number | undefined {
    return this.#clock.timerHeap?.peek()?.callAt
  }

  /**
   * Moves the clock to the next timer, and runs the timer.
   * @throws the timer's error
   */
  runNext(): void {
    this.noteActivity()
    this.#clock.next()
  }

  /**
   * Moves the clock forward to a time, in epoch milliseconds, as if the computer had been asleep: each timer that became due
   * meanwhile runs once, at the end.
   *
   * @throws the error of a timer
   */
  jumpTo(ms: number): void {
    this.noteActivity()
    this.#clock.jump(Math.max(0, ms - this.#clock.now))
  }

  listTimers(): ReadonlySet<unknown> {
    return new Set(this.#waiting)
  }

  /** Discards all pending timers except those in `before`. */
  discardTimers(before: ReadonlySet<unknown>): void {
    for (const id of this.#waiting) if (!before.has(id)) this.#clock.clearTimeout(id)
  }

  /** Resets the detection of busy waits. Must be called whenever the client had a chance to do other work. */
  noteActivity(): void {
    this.#reads = 0
  }

  restore(): void {
    this.#isRestored = true
    for (const restore of this.#restore.toReversed()) restore()
    syncBuiltinESMExports()
  }

  get #waiting(): number[] {
    return (this.#clock.timerHeap?.timers ?? []).map(({ id }) => id as number)
  }

  /**
   * Advances the clock by 1 ms per read after many reads in a row. Otherwise a client that waits by reading the clock would never
   * stop.
   */
  #advanceDuringBusyWaits(): void {
    let nowMs = this.#clock.now
    Object.defineProperty(this.#clock, 'now', {
      configurable: true,
      enumerable: true,
      get: () => {
        this.#reads += 1
        if (this.#reads > BUSY_WAIT_READS) nowMs += 1
        return nowMs
      },
      set: (ms: number) => {
        nowMs = ms
      },
    })
  }

  /**
   * Makes timers usable after the clock is restored. Node's own fetch shares one timer among all its time limits, and would
   * otherwise keep refreshing a timer that never fires.
   */
  #keepTimersUsable(): void {
    const clock = this.#clock
    const fake = clock.setTimeout
    const outliving: typeof fake = (callback, delay, ...args) => {
      const waiting = fake(callback, delay, ...args)
      if (typeof waiting !== 'object') return waiting
      const timer = waiting as unknown as Refreshable
      const { refresh } = timer
      timer.refresh = () => {
        if (!this.#isRestored) return refresh.call(timer)
        const real = realSetTimeout(() => callback(...args), delay)
        if (!timer.hasRef()) real.unref()
        timer.refresh = () => {
          real.refresh()
          return timer
        }
        // Imitates the effects of Node's own clearTimeout on a timer.
        Object.defineProperties(timer, {
          _onTimeout: {
            get: () => callback,
            set: () => {
              realClearTimeout(real)
            },
          },
          _destroyed: { value: true },
        })
        return timer
      }
      return waiting
    }
    // Keeps the properties that the library needs to restore the original.
    clock.setTimeout = Object.assign(outliving, fake)
  }
}

interface Refreshable {
  refresh: () => Refreshable
  hasRef: () => boolean
}

function replace<Name extends string>(
  object: { readonly [Key in Name]: unknown },
  name: Name,
  method: unknown,
): () => void {
  const before = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { configurable: true, writable: true, value: method })
  return () => {
    if (before) Object.defineProperty(object, name, before)
    else Reflect.deleteProperty(object, name)
  }
}

function waitFor(ms: number, options?: { signal?: AbortSignal }): Promise<void> {
  return timersPromises.setTimeout(ms, undefined, options)
}

/** Imitates `AbortSignal.timeout`, whose own timer cannot be replaced. */
function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(timeoutError()), ms)
  return controller.signal
}

/**
 * Creates the error of a timeout without a stack, which would only show code of this package and take time. Most of these errors
 * come long after their request, and nobody sees them.
 */
function timeoutError(): DOMException {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  Error.stackTraceLimit = stackTraceLimit
  return error
}
