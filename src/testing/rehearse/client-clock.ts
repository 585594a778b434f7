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

/** The replaced globals; `setImmediate`, `nextTick`, microtasks, message channels and files stay real. */
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

/** Number of reads without a pause that make a busy wait: each further read advances the clock by a millisecond. */
const READS_OF_A_LOOP = 10_000

/** Saved at import, to tell whether other code has replaced them since. */
const OWN_DATE = Date

type FakeClock = ReturnType<typeof FakeTimers.install>

/** The time of this process, as a client sees it. The clock stands still unless it is moved. */
export class ClientClock {
  readonly #clock: FakeClock
  readonly #restore: (() => void)[] = []
  #reads = 0
  #isRestored = false

  /**
   * Replaces the clock and the timers of this process, and seeds `Math.random`, so that the pauses of a client are the same
   * each time.
   */
  constructor({ startMs, seed }: { startMs: number; seed: string }) {
    this.#clock = FakeTimers.install({
      now: startMs,
      toFake: [...FAKED],
      // A run may clear a timer that was set before.
      shouldClearNativeTimers: true,
    })
    this.#restore.push(() => this.#clock.uninstall())
    this.#noticeLoops()
    this.#outliveRestoring()
    const numbers = createRandom(seed, 'rehearsal', 'Math.random')
    this.#restore.push(
      replace(Math, 'random', () => numbers.next()),
      replace(AbortSignal, 'timeout', abortAfter),
      replace(scheduler, 'wait', waitFor),
    )
    // Otherwise named imports would still be the machine's.
    syncBuiltinESMExports()
  }

  /** True if timers of this process are replaced already. */
  static get isTaken(): boolean {
    return Date !== OWN_DATE || setTimeout !== realSetTimeout || 'clock' in setTimeout
  }

  get nowMs(): number {
    return this.#clock.now
  }

  /** Timers that wait on this clock. */
  get timers(): DelayTimers {
    const { setTimeout, clearTimeout } = this.#clock
    return { setTimeout, clearTimeout }
  }

  /** Time of the next timer; undefined if there is none. */
  get nextMs(): number | undefined {
    return this.#clock.timerHeap?.peek()?.callAt
  }

  /**
   * Moves the clock to the next timer, and runs the timer.
   * @throws the timer's error
   */
  runNext(): void {
    this.rest()
    this.#clock.next()
  }

  /**
   * Moves the clock on, like a computer that was asleep: timers that would have run meanwhile run once, all at the end.
   *
   * @throws the error of a timer
   */
  jumpTo(ms: number): void {
    this.rest()
    this.#clock.jump(Math.max(0, ms - this.#clock.now))
  }

  /** Returns the waiting timers, for `discardTimers`. */
  listTimers(): ReadonlySet<unknown> {
    return new Set(this.#waiting)
  }

  /** Discards the timers of a run that was given up: all except those from before the run. */
  discardTimers(before: ReadonlySet<unknown>): void {
    for (const id of this.#waiting) if (!before.has(id)) this.#clock.clearTimeout(id)
  }

  /** Resets the detection of busy waits. Call it whenever the client had a chance to do something else. */
  rest(): void {
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

  /** Advances the clock in a busy wait. Otherwise a client that reads the time until it has passed would never stop. */
  #noticeLoops(): void {
    let nowMs = this.#clock.now
    Object.defineProperty(this.#clock, 'now', {
      configurable: true,
      enumerable: true,
      get: () => {
        this.#reads += 1
        if (this.#reads > READS_OF_A_LOOP) nowMs += 1
        return nowMs
      },
      set: (ms: number) => {
        nowMs = ms
      },
    })
  }

  /**
   * Makes timers work after the clock is restored: Node's own fetch keeps one for all of its time limits, and would refresh a
   * timer that never runs again.
   */
  #outliveRestoring(): void {
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
    // Keeps the properties by which the library restores the original.
    clock.setTimeout = Object.assign(outliving, fake)
  }
}

interface Refreshable {
  refresh: () => Refreshable
  hasRef: () => boolean
}

/** Replaces a method. Returns a function that restores it. */
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
 * Creates the error without a stack, which would only show our code. Most of these errors come long after their request, and
 * nobody sees them, so they have to be cheap.
 */
function timeoutError(): DOMException {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  Error.stackTraceLimit = stackTraceLimit
  return error
}
