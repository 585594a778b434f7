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

/** What is replaced; `setImmediate`, `nextTick`, microtasks, message channels and files stay real. */
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

/** More reads than this without a pause are a busy wait: each further read advances the clock by a millisecond. */
const READS_OF_A_LOOP = 10_000

/** Taken at import, to tell whether somebody else has replaced them since. */
const OWN_DATE = Date

type FakeClock = ReturnType<typeof FakeTimers.install>

/** The time of this process, as a client sees it, which stands still unless it is moved. */
export class ClientClock {
  readonly #clock: FakeClock
  readonly #restore: (() => void)[] = []
  #reads = 0
  #isRestored = false

  /**
   * Replaces the clock and the timers of this process, and `Math.random` by numbers from a seed, so that the pauses of a client
   * are the same each time.
   */
  constructor({ startMs, seed }: { startMs: number; seed: string }) {
    this.#clock = FakeTimers.install({
      now: startMs,
      toFake: [...FAKED],
      // A timer from before may be cleared in a run.
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
    // Otherwise what was imported by name would still be the machine's.
    syncBuiltinESMExports()
  }

  /** Whether timers of this process are replaced already. */
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

  /** When the next timer is due; undefined where there is none. */
  get nextMs(): number | undefined {
    return this.#clock.timerHeap?.peek()?.callAt
  }

  /** Moves it to the next timer, which is run. @throws what the timer throws. */
  runNext(): void {
    this.rest()
    this.#clock.next()
  }

  /**
   * Moves it on, like a computer that was asleep: timers that would have run meanwhile run once, all at the end.
   *
   * @throws what one of them throws.
   */
  jumpTo(ms: number): void {
    this.rest()
    this.#clock.jump(Math.max(0, ms - this.#clock.now))
  }

  /** The timers that wait, for `discardTimers`. */
  listTimers(): ReadonlySet<unknown> {
    return new Set(this.#waiting)
  }

  /** Discards the timers of a run that was given up: all but those that there were before. */
  discardTimers(before: ReadonlySet<unknown>): void {
    for (const id of this.#waiting) if (!before.has(id)) this.#clock.clearTimeout(id)
  }

  /** To be called whenever the client had a chance to do something else. */
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

  /** A client that reads the time until it has passed would never stop. */
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

  /** Node's own fetch keeps a timer for all of its time limits, and would refresh one that never runs again. */
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
        // What Node's own clearTimeout does to a timer.
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
    // With the properties by which the library restores the original.
    clock.setTimeout = Object.assign(outliving, fake)
  }
}

interface Refreshable {
  refresh: () => Refreshable
  hasRef: () => boolean
}

/** Replaces a method; returns the function that restores it. */
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

/** Like `AbortSignal.timeout`, whose own timer cannot be replaced. */
function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(timeoutError()), ms)
  return controller.signal
}

/**
 * Most of these errors come long after their request, and nobody sees them. They are cheap without a stack, which would be ours.
 */
function timeoutError(): DOMException {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  Error.stackTraceLimit = stackTraceLimit
  return error
}
