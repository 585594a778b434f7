import { syncBuiltinESMExports } from 'node:module'
import { scheduler } from 'node:timers/promises'
import * as timersPromises from 'node:timers/promises'
import FakeTimers from '@sinonjs/fake-timers'
import type { DelayTimers } from '../../sandbox/delivery.ts'
import { createRandom } from '../../records/random.ts'

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

/** So many reads of the time without a pause are a loop that waits for it: each further one takes a millisecond. */
const READS_OF_A_LOOP = 10_000

/** The time of this process, as a client sees it, which stands still unless it is moved. */
export class ClientClock {
  readonly #clock: ReturnType<typeof FakeTimers.install>
  readonly #restore: () => void
  #reads = 0

  /**
   * Replaces the clock and the timers of this process, and `Math.random` by numbers from a seed, so that the pauses of a client
   * are the same each time.
   */
  constructor({ startMs, seed }: { startMs: number; seed: string }) {
    const { random } = Math
    const own = [replace(AbortSignal, 'timeout', abortAfter), replace(scheduler, 'wait', waitFor)]
    this.#clock = FakeTimers.install({ now: startMs, toFake: [...FAKED] })
    this.#noticeLoops()
    const numbers = createRandom(seed, 'rehearsal', 'Math.random')
    Math.random = () => numbers.next()
    // Otherwise what was imported by name would still be the machine's.
    syncBuiltinESMExports()
    this.#restore = () => {
      this.#clock.uninstall()
      Math.random = random
      for (const restore of own) restore()
      syncBuiltinESMExports()
    }
  }

  /** Whether timers of this process are replaced already. */
  static get isTaken(): boolean {
    const { isFake, isMock } = Date as { isFake?: boolean; isMock?: boolean }
    return isFake === true || isMock === true || 'clock' in setTimeout
  }

  get nowMs(): number {
    return this.#clock.now
  }

  /** Timers that wait on this clock. */
  get timers(): DelayTimers {
    const { setTimeout, clearTimeout } = this.#clock
    return { setTimeout, clearTimeout }
  }

  get hasTimers(): boolean {
    return this.#clock.countTimers() > 0
  }

  /** Moves it to the next timer, which is run. @throws what the timer throws. */
  runNext(): void {
    this.#reads = 0
    this.#clock.next()
  }

  /** Moves it on, as a computer that was asleep: timers that would have run meanwhile run once, all at the end. */
  jumpTo(ms: number): void {
    this.#clock.jump(Math.max(0, ms - this.#clock.now))
  }

  discardTimers(): void {
    const nowMs = this.#clock.now
    this.#clock.reset()
    this.#clock.setSystemTime(nowMs)
  }

  /** To be called whenever the client had a chance to do something else. */
  rest(): void {
    this.#reads = 0
  }

  restore(): void {
    this.#restore()
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

/** As `AbortSignal.timeout`, whose own timer cannot be replaced. */
function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  }, ms)
  return controller.signal
}
