import { cpus, type } from 'node:os'

/** Shared by the suites: statistics, and the format of their results. */

/** The machine of the figures, like `Node 20.19.5, 2 × Intel …, Linux`. */
export function machine() {
  const { length, 0: first } = cpus()
  return `Node ${process.versions.node}, ${length} × ${first?.model ?? 'unknown processor'}, ${type()}`
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The value that `share` percent of the values are below. */
export function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))]
}

/** The median of the ratios between paired rounds of two sides. */
export function medianRatio(values, others) {
  return median(values.map((value, round) => value / others[round]))
}

/**
 * Runs rounds of several sides alternately, back and forth, so that noise of the machine affects all of them
 * alike. The first rounds are a warm-up.
 *
 * @returns the results of the rounds of each side.
 */
export async function interleave(sides, { rounds, warmUp = 1 }, measure) {
  const results = sides.map(() => [])
  const order = sides.map((_, index) => index)
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const index of round % 2 === 0 ? order : order.toReversed()) {
      const result = await measure(sides[index], round)
      if (round >= 0) results[index].push(result)
    }
  }
  return results
}

/** A ratio with a lower bound. */
export function atLeast(bar, name, value) {
  return { name, value, bar, isMet: value >= bar, isFar: value < (bar * 2) / 3 }
}

/** A ratio with an upper bound. */
export function atMost(bar, name, value) {
  return { name, value, bar, isMet: value <= bar, isFar: value > (bar * 3) / 2 }
}

/** A size with an upper bound, which is the same on every machine: anything above the bound is a failure. */
export function noMoreThan(bar, name, value) {
  return { name, value, bar, isMet: value <= bar, isFar: value > bar, isSize: true }
}

/** A time or an amount of memory with an upper bound: reported, but never a failure, because machines differ. */
export function within(bar, name, value) {
  return { name, value, bar, isMet: value <= bar, isFar: false }
}

/** A figure with three digits, or as an integer. */
export function shown(value) {
  if (typeof value !== 'number') return String(value)
  if (Number.isInteger(value)) return value.toLocaleString('en')
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

export function print(line) {
  process.stdout.write(`${line}\n`)
}
