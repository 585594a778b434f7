import { cpus, type } from 'node:os'

/** What the suites have in common: how they sum up, and what they give to be printed. */

/** `Node 20.19.5, 2 × Intel …, Linux`: where figures are from. */
export function machine() {
  const { length, 0: first } = cpus()
  return `Node ${process.versions.node}, ${length} × ${first?.model ?? 'unknown processor'}, ${type()}`
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The median of what each round of one side is to the same round of another. */
export function medianRatio(values, others) {
  return median(values.map((value, round) => value / others[round]))
}

/**
 * Rounds of several sides in turn, forth and back, so that whatever else the machine does meets all of
 * them alike. The first rounds only warm up.
 *
 * @returns for each side what its rounds gave.
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

/** A ratio that has to be so much or more. */
export function atLeast(bar, name, value) {
  return { name, value, bar, isMet: value >= bar, isFar: value < (bar * 2) / 3 }
}

/** A ratio that has to be so much or less. */
export function atMost(bar, name, value) {
  return { name, value, bar, isMet: value <= bar, isFar: value > (bar * 3) / 2 }
}

/** A time or a memory that has to be so much or less: told, and never a failure, for machines differ. */
export function within(bar, name, value) {
  return { name, value, bar, isMet: value <= bar, isFar: false }
}

/** A figure in three digits, or whole. */
export function shown(value) {
  if (typeof value !== 'number') return String(value)
  if (Number.isInteger(value)) return value.toLocaleString('en')
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

export function print(line) {
  process.stdout.write(`${line}\n`)
}
