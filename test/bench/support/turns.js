import { PerformanceObserver } from 'node:perf_hooks'

/** Few, because the speed of a shared machine changes within a second. */
const REQUESTS_A_TURN = 100

/** Turns without and with the measured work, ordered so that a linear drift affects both alike. */
const ORDER = [false, true, true, false]

/** The cost to a server of optional work for each request. */
export class Turns {
  #mode = 'always'
  #count = 0
  #requests = 0
  #collectorMs = 0
  #began = processorTime()
  /** Microseconds of processor time of each turn. */
  #turns = []

  constructor() {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) this.#collectorMs += duration
    }).observe({ entryTypes: ['gc'] })
  }

  /** Begins again: with the work for every request, for none, or in turn. */
  begin(mode) {
    this.#mode = mode
    this.#count = 0
    this.#requests = 0
    this.#collectorMs = 0
    this.#turns = []
    this.#began = processorTime()
  }

  /** True if the current request needs the work. */
  next() {
    this.#requests += 1
    if (this.#mode !== 'in turn') return this.#mode === 'always'
    if (this.#count === REQUESTS_A_TURN) this.#endTurn()
    this.#count += 1
    return ORDER[this.#turns.length % ORDER.length]
  }

  /**
   * Microseconds per request: of the processor, without and with the work, one of each for every four turns;
   * and of the garbage collector, which cannot be split between the two.
   */
  figures() {
    const [without, own] = [[], []]
    for (let at = 0; at + ORDER.length <= this.#turns.length; at += ORDER.length) {
      const sums = [0, 0]
      for (const [index, isDone] of ORDER.entries()) sums[Number(isDone)] += this.#turns[at + index]
      without.push(sums[0] / 2 / REQUESTS_A_TURN)
      own.push(sums[1] / 2 / REQUESTS_A_TURN)
    }
    return { without, own, collector: (this.#collectorMs * 1000) / this.#requests }
  }

  #endTurn() {
    const now = processorTime()
    this.#turns.push(now - this.#began)
    this.#began = now
    this.#count = 0
  }
}

/** Microseconds of processor time that this process has used. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return user + system
}
