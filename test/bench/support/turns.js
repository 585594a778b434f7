import { PerformanceObserver } from 'node:perf_hooks'

/** Few: how fast a machine is that others use too changes within a second. */
const REQUESTS_A_TURN = 100

/** Turns without something and with it, so that whatever goes up or down meets both alike. */
const ORDER = [false, true, true, false]

/** What something that may be done with each request costs a server. */
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

  /** Begins anew: with every request, with none, or in turn. */
  begin(mode) {
    this.#mode = mode
    this.#count = 0
    this.#requests = 0
    this.#collectorMs = 0
    this.#turns = []
    this.#began = processorTime()
  }

  /** Whether it is to be done with the request that comes now. */
  next() {
    this.#requests += 1
    if (this.#mode !== 'in turn') return this.#mode === 'always'
    if (this.#count === REQUESTS_A_TURN) this.#endTurn()
    this.#count += 1
    return ORDER[this.#turns.length % ORDER.length]
  }

  /**
   * Microseconds a request: of the processor, those without it and those with it, one of each for every four
   * turns; and of the garbage collector, which meets the one with what the other has left.
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

/** Microseconds of it that this process has had. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return user + system
}
